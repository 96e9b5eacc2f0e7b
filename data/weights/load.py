"""A model of meridian's laboratory by torch alone, from the config.json and model.safetensors beside this file.

    from load import Model; logits = Model()([3, 1, 4])    # [tokens, vocab], float32
    python3 load.py                        # the greatest difference to what the laboratory answered

Positions are tables over places, or over distances i - j of a query i and a key j before it; none is known beyond
`positions`.  A tensor of a layer has the layer's number in front; one without is that of all layers."""
import json
import os
import struct
import torch

HERE = os.path.dirname(os.path.abspath(__file__))


def tensors(name):
    """The arrays of a .safetensors file of float32, by name."""
    with open(os.path.join(HERE, name), 'rb') as f:
        head, data = json.loads(f.read(*struct.unpack('<Q', f.read(8)))), bytearray(f.read())
    return {k: torch.frombuffer(data[slice(*t['data_offsets'])], dtype=torch.float32).reshape(t['shape'])
            for k, t in head.items() if k != '__metadata__'}


class Model:
    def __init__(self):
        with open(os.path.join(HERE, 'config.json')) as f:
            self.c, self.w = json.load(f), tensors('model.safetensors')
        self.norm = lambda x, g, s: torch.nn.functional.layer_norm(x, g.shape, g, s, self.c['eps'])

    def attend(self, x, w):
        (n, c), h = x.shape, self.c['heads']
        q, k, v = (x @ w('wi') + w('bi')).view(n, 3, h, c // h).permute(1, 2, 0, 3)
        if w('turn.q') is not None:
            q, k = (torch.einsum('nij,hnj->hni', w(t)[:n], y) for t, y in (('turn.q', q), ('turn.k', k)))
        far = torch.arange(n)[:, None] - torch.arange(n)
        at = far.clamp(min=0).expand(h, n, n)
        to_query, to_key, bias, to_value = (w(t) for t in ('to_query', 'to_key', 'bias', 'to_value'))
        s = self.c['scale'] * (q @ k.mT)
        s = s if to_query is None else s + (q @ to_query[:, :n].mT).gather(2, at)
        s = s if to_key is None else s + (k @ to_key[:, :n].mT).gather(2, at.mT).mT
        s = s if bias is None else s + (bias[:, at[0]] if bias.dim() == 2 else bias[:, :n, :n])
        p = s.masked_fill(far < 0, -torch.inf).softmax(2)
        o = p @ v if to_value is None else p @ v + torch.zeros_like(p).scatter_add(2, at, p) @ to_value[:, :n]
        return o.transpose(0, 1).reshape(n, c) @ w('wo') + w('bo')

    def __call__(self, tokens):
        t, at = torch.as_tensor(tokens), torch.arange(len(tokens))
        x = self.w['words'][at, t] if 'words' in self.w else self.w['token'][t] * self.c['embed_scale']
        x = x + self.w['places'][at] if 'places' in self.w else x
        for layer in range(self.c['layers']):
            def w(name, layer=layer): return self.w.get(f'{layer}.{name}', self.w.get(name))
            x = x + self.attend(self.norm(x, w('ga'), w('sa')), w)
            x = x + torch.relu(self.norm(x, w('gf'), w('sf')) @ w('w1') + w('b1')) @ w('w2') + w('b2')
        return self.norm(x, self.w['g'], self.w['s']) @ self.w['out'].T


if __name__ == '__main__':
    with open(os.path.join(HERE, 'tokens.txt')) as f:
        y, wanted = Model()([int(x) for x in f.read().split()]), tensors('logits.safetensors')['t']
    print('logits of size %.3g differ by %.3g at most' % (wanted.abs().max(), (y - wanted).abs().max()))
