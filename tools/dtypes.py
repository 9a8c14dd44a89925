"""Makes test/fixtures/dtypes.json: tensors of every data type with the values ONNX's own library reads from them.

    python tools/dtypes.py

Needs onnx 1.23 or later (which brings numpy and ml_dtypes). Each entry is a TensorProto, as base64, with its
elements as text, since JSON has no NaN, infinities or 64-bit integers.
"""

import base64
import json
import pathlib

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TARGET = pathlib.Path(__file__).parent.parent / "test" / "fixtures" / "dtypes.json"

SIXTEEN_BITS = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x3555, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00,
    0x7E00, 0x3F80, 0xBF80, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0, 0x0080, 0x007F, 0x4049, 0x1234, 0xABCD,
]  # fmt: skip

ALL_BYTES = list(range(256))

# name -> (TensorProto type, patterns as unsigned integers of its width)
PATTERNS = {
    "float16": (TensorProto.FLOAT16, np.uint16, SIXTEEN_BITS),
    "bfloat16": (TensorProto.BFLOAT16, np.uint16, SIXTEEN_BITS),
    "float8e4m3fn": (TensorProto.FLOAT8E4M3FN, np.uint8, ALL_BYTES),
    "float8e4m3fnuz": (TensorProto.FLOAT8E4M3FNUZ, np.uint8, ALL_BYTES),
    "float8e5m2": (TensorProto.FLOAT8E5M2, np.uint8, ALL_BYTES),
    "float8e5m2fnuz": (TensorProto.FLOAT8E5M2FNUZ, np.uint8, ALL_BYTES),
    "float8e8m0": (TensorProto.FLOAT8E8M0, np.uint8, ALL_BYTES),
    "int8": (TensorProto.INT8, np.uint8, ALL_BYTES),
    "uint8": (TensorProto.UINT8, np.uint8, ALL_BYTES),
    "bool": (TensorProto.BOOL, np.uint8, [0, 1, 1, 0]),
    "int16": (TensorProto.INT16, np.uint16, [0, 1, 0x7FFF, 0x8000, 0xFFFF]),
    "uint16": (TensorProto.UINT16, np.uint16, [0, 1, 0x7FFF, 0x8000, 0xFFFF]),
    "int32": (TensorProto.INT32, np.uint32, [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]),
    "uint32": (TensorProto.UINT32, np.uint32, [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]),
    "int64": (
        TensorProto.INT64, np.uint64,
        [0, 1, 127, 128, 2**53, 2**53 - 1, 2**62, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64 - 128],
    ),
    "uint64": (TensorProto.UINT64, np.uint64, [0, 1, 2**53 - 1, 2**63 - 1, 2**63, 2**64 - 1]),
    "float32": (
        TensorProto.FLOAT, np.uint32,
        [0, 0x80000000, 1, 0x007FFFFF, 0x3F800000, 0x40490FDB, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000],
    ),
    "float64": (
        TensorProto.DOUBLE, np.uint64,
        [0, 2**63, 1, 0x3FF0000000000000, 0x400921FB54442D18, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
         0xFFF0000000000000, 0x7FF8000000000000],
    ),
}  # fmt: skip

# Types under a byte: name -> (TensorProto type, bits). An odd count leaves the last byte partly used.
PACKED = {
    "uint4": (TensorProto.UINT4, 4),
    "int4": (TensorProto.INT4, 4),
    "float4e2m1": (TensorProto.FLOAT4E2M1, 4),
    "uint2": (TensorProto.UINT2, 2),
    "int2": (TensorProto.INT2, 2),
}

# The typed field a type is stored in when it is not raw.
FIELDS = {
    "float32": "float_data",
    "float64": "double_data",
    "int64": "int64_data",
    "uint64": "uint64_data",
    "uint32": "uint64_data",
}


def text(value) -> str:
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, (bool, np.bool_)):
        return str(int(number))
    if isinstance(number, int):
        return str(number)
    return repr(float(number))


def entry(name: str, tensor: TensorProto) -> dict:
    storage = "raw_data" if tensor.HasField("raw_data") else FIELDS.get(name, "int32_data")
    elements = numpy_helper.to_array(tensor).reshape(-1)
    return {
        "dtype": name,
        "storage": storage,
        "tensor": base64.b64encode(tensor.SerializeToString()).decode(),
        "elements": " ".join(text(e) for e in elements),
    }


def tensors():
    for name, (code, width, patterns) in PATTERNS.items():
        array = np.array(patterns, dtype=width)
        little = array.astype(array.dtype.newbyteorder("<"))
        yield name, TensorProto(data_type=code, dims=[len(patterns)], raw_data=little.tobytes())
        typed = TensorProto(data_type=code, dims=[len(patterns)])
        field = FIELDS.get(name, "int32_data")
        if field in ("float_data", "double_data"):
            getattr(typed, field).extend(array.view(np.float32 if field == "float_data" else np.float64).tolist())
        else:
            signed = name in ("int8", "int16", "int32", "int64")
            values = array.view(f"i{array.itemsize}") if signed else array
            getattr(typed, field).extend(int(v) for v in values)
        yield name, typed
    for name, (code, bits) in PACKED.items():
        count = 2**bits + 1
        packed = bytearray(-(-count * bits // 8))
        for i in range(count):
            packed[i * bits // 8] |= (i % 2**bits) << (i * bits % 8)
        yield name, TensorProto(data_type=code, dims=[count], raw_data=bytes(packed))
        yield name, TensorProto(data_type=code, dims=[count], int32_data=list(packed))


def main() -> None:
    made = {
        "made by": f"tools/dtypes.py with onnx {onnx.__version__}, numpy {np.__version__}, "
        f"ml_dtypes {ml_dtypes.__version__}",
        "tensors": [entry(name, tensor) for name, tensor in tensors()],
    }
    TARGET.write_text(json.dumps(made, indent=1) + "\n")
    print(f"{len(made['tensors'])} tensors in {TARGET.name}")


if __name__ == "__main__":
    main()
