#!/usr/bin/env python3
"""Writes tests/image/reference.hpp: the results of torchvision and Pillow for small pictures defined by a formula.

Run it in a throwaway environment:  pip install torch torchvision pillow numpy  (CPU wheels suffice)
  python scripts/make_image_reference.py > tests/image/reference.hpp
"""
import numpy
import PIL
import PIL.Image
import torch
import torchvision
from torchvision.transforms import RandomResizedCrop
from torchvision.transforms import functional as F


def picture(h, w, c=3):
    """The formula, repeated in tests/image/pictures.hpp."""
    y, x, k = numpy.meshgrid(numpy.arange(h), numpy.arange(w), numpy.arange(c), indexing="ij")
    return ((y * y * 7 + x * 29 + x * y * 3 + k * 83 + ((x + 2 * y) % 5) * 40) % 256).astype(numpy.uint8)


def tensor(a):
    return torch.from_numpy(a).permute(2, 0, 1).contiguous()


def array(t):
    return t.permute(1, 2, 0).numpy()


def numbers(values):
    return "{" + ", ".join(str(v) for v in values) + "}"


def flat(a):
    return numbers(numpy.asarray(a).reshape(-1).tolist())


print("#pragma once")
print("// Written by scripts/make_image_reference.py with "
      f"torchvision {torchvision.__version__.split('+')[0]}, torch {torch.__version__.split('+')[0]}, Pillow {PIL.__version__}.")
print("#include <cstdint>\n#include <vector>\n")
print("namespace reference {\n")

print("/// The box (top, left, height, width) of the h x w picture, resized to out_h x out_w, antialiased bilinear.")
print("struct resize_case {\n  std::size_t h, w, top, left, height, width, out_h, out_w;\n"
      "  std::vector<int> torchvision, pillow;\n};")
print("inline const std::vector<resize_case> resizes = {")
whole = [((16, 16), (8, 8)), ((13, 17), (5, 7)), ((9, 11), (12, 14)), ((40, 60), (7, 9)), ((33, 21), (33, 10)),
         ((5, 5), (5, 5)), ((1, 1), (3, 4)), ((64, 48), (3, 2)), ((2, 3), (9, 7)), ((301, 3), (4, 3)), ((7, 200), (3, 5))]
boxes = [((20, 30), (3, 4, 11, 17), (6, 6)), ((20, 30), (0, 0, 20, 30), (8, 8)), ((20, 30), (19, 29, 1, 1), (2, 2)),
         ((50, 41), (7, 2, 40, 33), (9, 9))]
for (h, w), (oh, ow) in whole:
    boxes.append(((h, w), (0, 0, h, w), (oh, ow)))
for (h, w), (t, l, bh, bw), (oh, ow) in boxes:
    a = picture(h, w)
    tv = array(F.resized_crop(tensor(a), t, l, bh, bw, [oh, ow], antialias=True))
    pil = numpy.asarray(PIL.Image.fromarray(a).crop((l, t, l + bw, t + bh)).resize((ow, oh), PIL.Image.BILINEAR))
    print(f"    {{{h}, {w}, {t}, {l}, {bh}, {bw}, {oh}, {ow},\n     {flat(tv)},\n     {flat(pil)}}},")
print("};\n")

print("/// The sizes that resize(side) gives.")
print("struct shorter_case {\n  std::size_t h, w, side, out_h, out_w;\n};")
print("inline const std::vector<shorter_case> shorters = {")
for h, w, side in [(480, 640, 256), (640, 480, 256), (333, 500, 224), (500, 333, 224), (7, 7, 3), (100, 101, 256), (31, 1000, 8)]:
    out = F.resize(torch.zeros(3, h, w), side, antialias=True)
    print(f"    {{{h}, {w}, {side}, {out.shape[1]}, {out.shape[2]}}},")
print("};\n")

print("struct crop_case {\n  std::size_t h, w, out_h, out_w;\n  std::vector<int> torchvision;\n};")
print("inline const std::vector<crop_case> crops = {")
for h, w, oh, ow in [(5, 6, 3, 3), (6, 5, 3, 2), (7, 9, 4, 4), (8, 11, 5, 4), (3, 3, 6, 5), (7, 3, 4, 6), (4, 4, 4, 4), (2, 9, 5, 2), (9, 8, 2, 1)]:
    print(f"    {{{h}, {w}, {oh}, {ow}, {flat(array(F.center_crop(tensor(picture(h, w)), [oh, ow])))}}},")
print("};\n")

mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
t = F.normalize(F.convert_image_dtype(tensor(picture(5, 7)), torch.float32), mean, std)
print("/// ToTensor and Normalize of the 5 x 7 picture: planar.")
print(f"inline const std::vector<float> normalized = {numbers(f'{v:.9g}f' if '.' in f'{v:.9g}' or 'e' in f'{v:.9g}' else f'{v:.9g}.0f' for v in t.reshape(-1).tolist())};\n")

print("/// Mean and standard deviation of RandomResizedCrop's boxes over 100000 draws: area fraction, log(width / height),\n"
      "/// (top + 0.5) / (H - height + 1), (left + 0.5) / (W - width + 1).")
print("struct box_statistics {\n  std::size_t h, w;\n  double area[2], log_ratio[2], top[2], left[2];\n};")
print("inline const std::vector<box_statistics> boxes = {")
torch.manual_seed(1)
for h, w in [(400, 520), (300, 300), (100, 500), (60, 9)]:
    image = torch.zeros(3, h, w)
    p = torch.tensor([RandomResizedCrop.get_params(image, (0.08, 1.0), (3 / 4, 4 / 3)) for _ in range(100000)], dtype=torch.float64)
    i, j, bh, bw = p.T
    columns = [bh * bw / (h * w), torch.log(bw / bh), (i + 0.5) / (h - bh + 1), (j + 0.5) / (w - bw + 1)]
    print(f"    {{{h}, {w}, " + ", ".join("{%.5f, %.5f}" % (c.mean().item(), c.std().item()) for c in columns) + "},")
print("};\n")
print("}  // namespace reference")
