# Writes files as C string literals, for what the program carries with it.
#   awk -v name=site_css -f embed.awk FILE       static const char site_css[] = the whole file;
#   awk -v comments=1 -f embed.awk FILE...       { "rope", "the comment at the top of rope.c" }, a line each
# The text of a comment has no delimiters and no asterisks at the left.
function literal(s) {
    gsub(/\\/, "&&", s)
    gsub(/"/, "\\\"", s)
    printf "\"%s\\n\"\n", s
}
BEGIN {
    if (!comments)
        printf "static const char %s[] =\n", name
}
!comments {
    literal($0)
    next
}
FNR == 1 {
    row = FILENAME
    sub(/.*\//, "", row)
    sub(/\.c$/, "", row)
    printf "{ \"%s\",\n", row
    inside = 1
}
inside {
    line = $0
    ends = sub(/ *\*\/.*/, "", line)
    sub(/^(\/\*| \*) ?/, "", line)
    literal(line)
    if (ends) {
        print "},"
        inside = 0
    }
}
END {
    if (!comments)
        print ";"
}
