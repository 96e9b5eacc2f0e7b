/* What schemata.py puts into a mutated file.  Every function is there many times: as written, with marks, and once
 * with each fault; its callers reach the one to which its slot points.  PLANT says so in a table that the linker
 * collects. */
#ifndef PLANT_H
#define PLANT_H

/* One version of a function.  key: "file:tag" of a fault, or "*" of the version with marks. */
struct plant { const char *key; void **slot; void *version; };
/* The marks of one file: n bytes, of which a function with marks sets those of the places that it reaches. */
struct marks_of { const char *file; unsigned char *at; long n; };

#define PLANT(name, key, slot, version) \
    static const struct plant plant_##name __attribute__((section("plant_table"), used, aligned(8))) = { key, \
        (void **)&slot, (void *)version }
#define MARKS(name, file, n) \
    static unsigned char marks_of_##name[n] __attribute__((section("plant_marks"), used)); \
    static const struct marks_of marked_##name __attribute__((section("plant_files"), used, aligned(8))) = { file, \
        marks_of_##name, n }
/* The marks lie in memory that a program shares with the programs that it starts, at the place that they have here. */
#define MARK(name, k) (plant_shared[marks_of_##name - __start_plant_marks + (k)] = 1)

extern unsigned char *plant_shared;
extern unsigned char __start_plant_marks[] __attribute__((visibility("hidden"), weak));
extern unsigned char __stop_plant_marks[] __attribute__((visibility("hidden"), weak));
extern const struct plant __start_plant_table[] __attribute__((visibility("hidden"), weak));
extern const struct plant __stop_plant_table[] __attribute__((visibility("hidden"), weak));
extern const struct marks_of __start_plant_files[] __attribute__((visibility("hidden"), weak));
extern const struct marks_of __stop_plant_files[] __attribute__((visibility("hidden"), weak));

/* Lets every slot with that key point to its version; the number of slots. */
long plant_choose(const char *key);
/* The bytes of all marks. */
long plant_size(void);
/* Takes the marks' memory from a file, which is made where it is not there; 0, or -1. */
int plant_share(const char *path);
#endif
