"""Judges a folder of outputs: python3 check.py OUTPUTS [f64angle | f32 | bf16]   (in the unpacked golden pack; OUTPUTS/CASE.npy are yours)."""
import os, sys
import numpy as np
mine, profile, bad, judged = sys.argv[1], (sys.argv[2:] or ["f32"])[0], 0, 0
for case in [line.split("\t")[0] for line in open("index.tsv") if line[0] != "#"]:
    if os.path.exists(f"{mine}/{case}.npy"):
        exact = np.load(f"{case}.exact.npy")
        hi, lo, bound = exact["hi"], exact["lo"], exact["bound"][..., ("f64angle", "f32", "bf16").index(profile)]
        y = np.load(f"{mine}/{case}.npy").astype(np.float64)
        with np.errstate(invalid="ignore"):
            right = y.shape == hi.shape and bool(((y == hi) | (np.isnan(y) & np.isnan(hi)) | (abs((y - hi) - lo) <= bound)).all())
        bad, judged = bad + (not right), judged + 1
        print("PASS" if right else "FAIL", case)
sys.exit(77 if not judged else bad > 0)
