# The installed program away from the sources: its data, its manual page, what completes its command lines.
set -eu
PATH=$PREFIX/bin:$PATH
meridian doctor judge | grep -q "2 of 2 there"
meridian doctor | grep -q "not asked: .* of use beside the sources"
meridian golden --check softmax >/dev/null
meridian findings tinygrad-cos --again >/dev/null
meridian judge own:scalar --row softmax --few >/dev/null
grep -q '^\.TH MERIDIAN 1' "$PREFIX/share/man/man1/meridian.1"
bash -c '. "$PREFIX/share/bash-completion/completions/meridian"; [ "$(_meridian_list j | grep -c "^judge")" = 1 ]'
grep -q '^#compdef meridian' "$PREFIX/share/zsh/site-functions/_meridian"
grep -q '^complete -c meridian' "$PREFIX/share/fish/vendor_completions.d/meridian.fish"
find "$PREFIX" -type l ! -exec test -e {} \; -print | grep . && exit 1
echo "program, data, manual page, completion"
