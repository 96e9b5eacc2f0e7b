"""Masks and maps of distances for long texts: LM-Infinite (Han et al. 2023, arXiv:2308.16137) and dual chunk attention (An et al. 2024, arXiv:2402.17463)."""
from rotary import remapped


def limited(p, c, j):
    d, most = c - j, p.limit if p.limit else p.window
    if d < p.window:
        return d
    return most if p.far == "still" else min(d, most)


def seen(p, c, j):
    return 0 <= c - j < p.window or j < min(p.sinks, c + 1)


def chunked(p, c, j):
    size = p.chunk - p.near
    chunk_c, chunk_j = c // size, j // size
    if chunk_c <= chunk_j:
        return c - j
    furthest = min(p.chunk, 2 * size - 1) if p.last == "at" else p.chunk - 1
    query = furthest if chunk_c > chunk_j + 1 else min(c % size + size, furthest)
    return query - j % size


ROWS = {"lminfinite": dict(remapped(limited, seen), visible=lambda q, i, j: int(seen(q.p, q.p.memory + i, j))),
        "dualchunk": remapped(chunked)}
