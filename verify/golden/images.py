"""Images of every kind with their pixels, and what resizing and normalising make of them.

    python verify/golden/images.py

Writes src/inputs/images/fixtures/images.json. Pillow writes most files. What it cannot write (16 bits in colour, grey of 2 and 4
bits, a chosen filter in every row) is written here with zlib and struct, from pixels that are known; Pillow reads it back,
with the upper 8 bits of 16 where it has no more. Resizing is Pillow's BILINEAR of floats, and must be PyTorch's
interpolate(antialias=True) too.
"""
import base64
import io
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import torch
from PIL import Image

OUT = Path(__file__).parents[2] / 'src/inputs/images/fixtures/images.json'
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
rng = np.random.default_rng(7)
files = {}


def smooth(height, width, channels, top=255):
    """Waves with a little noise, so that filters are worth choosing."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing='ij')
    wave = 0.5 + 0.4 * np.sin(0.5 * x + 0.8 * y + 2 * c)
    return np.clip(wave * top + rng.normal(0, top / 30, wave.shape), 0, top).round().astype(np.int64)


def add(name, data, pixels, top=255):
    """`pixels` without transparency, (height, width) or (height, width, 3)."""
    pixels = np.asarray(pixels)
    height, width, *rest = pixels.shape
    channels = rest[0] if rest else 1
    files[name] = {
        'file': base64.b64encode(data).decode(),
        'width': width, 'height': height, 'channels': channels, 'max': top,
        'samples': pixels.reshape(-1).tolist(),
    }


def saved(image, kind='PNG', **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def by_pillow():
    for channels, mode in ((1, 'L'), (2, 'LA'), (3, 'RGB'), (4, 'RGBA')):
        pixels = smooth(6, 9, channels)
        image = Image.fromarray(pixels.astype(np.uint8).squeeze(), mode)
        kept = pixels[..., 0] if channels < 3 else pixels[..., :3]
        add(f'pillow {mode}', saved(image), kept)
        if mode in ('L', 'RGB'):
            add(f'pillow {mode} netpbm', saved(image, 'PPM'), kept)
    grey = smooth(5, 7, 1, 65535)[..., 0]
    image = Image.fromarray(grey.astype(np.uint16), 'I;16')
    add('pillow I;16', saved(image), grey, 65535)
    add('pillow I;16 netpbm', saved(image, 'PPM'), grey, 65535)
    colours = Image.fromarray(smooth(6, 9, 3).astype(np.uint8), 'RGB')
    for bits in (1, 2, 4, 8):
        image = colours.quantize(min(2**bits, 40))
        add(f'pillow P {bits} bits', saved(image, bits=bits), np.asarray(image.convert('RGB')))
    image = colours.quantize(16)
    add('pillow P transparent', saved(image, transparency=3), np.asarray(image.convert('RGB')))
    bits = smooth(5, 11, 1)[..., 0] > 128
    add('pillow 1', saved(Image.fromarray(bits)), bits.astype(int), 1)


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def paeth(a, b, c):
    return min((a, b, c), key=lambda near: abs(a + b - c - near))


def encode(pixels, colour, depth):
    """A PNG whose rows have the filters 0 to 4 in turn, cut into three IDAT chunks."""
    height, width, samples = pixels.shape
    rows = []
    for row in pixels.reshape(height, -1):
        bits = ''.join(format(int(v), f'0{depth}b') for v in row)
        bits += '0' * (-len(bits) % 8)
        rows.append([int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)])
    step = max(1, samples * depth // 8)
    raw = bytearray()
    for y, row in enumerate(rows):
        above = rows[y - 1] if y else [0] * len(row)
        at = lambda line, i: line[i] if i >= 0 else 0
        guess = (
            lambda i: 0,
            lambda i: at(row, i - step),
            lambda i: above[i],
            lambda i: (at(row, i - step) + above[i]) // 2,
            lambda i: paeth(at(row, i - step), above[i], at(above, i - step)),
        )[(y + 1) % 5]
        raw.append((y + 1) % 5)
        raw.extend((value - guess(i)) % 256 for i, value in enumerate(row))
    packed = zlib.compress(bytes(raw), 9)
    cuts = [0, len(packed) // 3, len(packed) // 2, len(packed)]
    header = struct.pack('>IIBBBBB', width, height, depth, colour, 0, 0, 0)
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'tEXt', b'Comment\0waves')
            + b''.join(chunk(b'IDAT', packed[a:b]) for a, b in zip(cuts, cuts[1:])) + chunk(b'IEND', b''))


def by_hand():
    for name, colour, samples in (('grey', 0, 1), ('grey+alpha', 4, 2), ('RGB', 2, 3), ('RGBA', 6, 4)):
        for depth in (2, 4, 8, 16) if colour == 0 else (8, 16):
            top = 2**depth - 1
            pixels = smooth(6, 5, samples, top)
            data = encode(pixels, colour, depth)
            image = Image.open(io.BytesIO(data))
            read = np.asarray(image).astype(np.int64).reshape(6, 5, -1)
            if depth == 16 and colour == 4:
                read = read[..., [0, -1]]  # Pillow makes it RGBA
            if depth == 16 and colour != 0:
                expected = pixels >> 8
            elif depth < 8:
                expected = pixels * 255 // top if image.mode == 'L' else pixels
            else:
                expected = pixels
            assert (read == expected).all(), (name, depth, image.mode)
            add(f'{name} {depth} bits, all filters', data, pixels[..., 0] if samples < 3 else pixels[..., :3], top)


def resized(plane, height, width):
    """(H, W) of floats, by Pillow; PyTorch must say the same."""
    found = np.asarray(Image.fromarray(plane.astype(np.float32), 'F').resize((width, height), Image.BILINEAR))
    torch_found = torch.nn.functional.interpolate(
        torch.tensor(plane, dtype=torch.float64)[None, None], size=(height, width), mode='bilinear',
        antialias=True, align_corners=False)[0, 0].numpy()
    assert np.abs(found - torch_found).max() < 1e-4 * 255, np.abs(found - torch_found).max()
    return found.astype(np.float64)


def resizing():
    cases = []
    for (height, width), (to_height, to_width) in [
        ((5, 7), (5, 7)), ((5, 7), (4, 4)), ((5, 7), (9, 16)), ((1, 1), (3, 2)), ((13, 19), (4, 3)), ((3, 20), (7, 4)),
    ]:
        plane = rng.integers(0, 256, (height, width))
        cases.append({
            'height': height, 'width': width, 'samples': plane.reshape(-1).tolist(),
            'toHeight': to_height, 'toWidth': to_width,
            'resized': np.round(resized(plane, to_height, to_width), 4).reshape(-1).tolist(),
        })
    return cases


def normalised():
    """The tensors (C, H, W) that networks get of files above."""
    cases = []
    for name, channels in (('pillow RGB', 3), ('pillow RGB', 1), ('pillow L', 3), ('pillow L', 1), ('pillow P 4 bits', 3)):
        image = Image.open(io.BytesIO(base64.b64decode(files[name]['file'])))
        if channels == 1:
            planes = [np.asarray(image.convert('F'))]
            mean, std = [sum(MEAN) / 3], [sum(STD) / 3]
        else:
            planes = list(np.asarray(image.convert('RGB')).transpose(2, 0, 1))
            mean, std = MEAN, STD
        tensor = np.stack([(resized(p, 4, 5) / 255 - m) / s for p, m, s in zip(planes, mean, std)])
        cases.append({'name': name, 'channels': channels, 'tensor': np.round(tensor, 6).reshape(-1).tolist()})
    return cases


by_pillow()
by_hand()
OUT.parent.mkdir(exist_ok=True)
OUT.write_text(json.dumps({'files': files, 'resizing': resizing(), 'normalised': normalised()}, separators=(',', ':')))
print(OUT, OUT.stat().st_size, 'bytes;', len(files), 'files')
