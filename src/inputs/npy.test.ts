// Files that numpy 2 wrote with np.save, in base 64.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readNpy } from './npy.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-npy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PAD = 'ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg';
/** np.arange(6, dtype='float32').reshape(2, 3) / 2 */
const FLOATS = `k05VTVBZAQB2AHsnZGVzY3InOiAnPGY0JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsIDMpLCB9ICAg${PAD}ICAgICAgIAoAAAAAAAAAPwAAgD8AAMA/AAAAQAAAIEA=`;
/** np.array([1, -2, 3]) */
const INTEGERS = `k05VTVBZAQB2AHsnZGVzY3InOiAnPGk4JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDMsKSwgfSAgICAg${PAD}ICAgICAgIAoBAAAAAAAAAP7/////////AwAAAAAAAAA=`;
/** np.asfortranarray(np.arange(6.).reshape(2, 3)) */
const FORTRAN = `k05VTVBZAQB2AHsnZGVzY3InOiAnPGY4JywgJ2ZvcnRyYW5fb3JkZXInOiBUcnVlLCAnc2hhcGUnOiAoMiwgMyksIH0gICAg${PAD}ICAgICAgIAoAAAAAAAAAAAAAAAAAAAhAAAAAAAAA8D8AAAAAAAAQQAAAAAAAAABAAAAAAAAAFEA=`;
/** np.array([1j]) */
const COMPLEX = `k05VTVBZAQB2AHsnZGVzY3InOiAnPGMxNicsICdmb3J0cmFuX29yZGVyJzogRmFsc2UsICdzaGFwZSc6ICgxLCksIH0gICAg${PAD}ICAgICAgIAoAAAAAAAAAAAAAAAAAAPA/`;
/** np.array([1.5], dtype='>f4') */
const BIG_ENDIAN = `k05VTVBZAQB2AHsnZGVzY3InOiAnPmY0JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDEsKSwgfSAgICAg${PAD}ICAgICAgIAo/wAAA`;

function file(content: string | Uint8Array): string {
  const path = join(folder, 'array.npy');
  writeFileSync(path, typeof content === 'string' ? Buffer.from(content, 'base64') : content);
  return path;
}

it('reads what numpy writes', () => {
  expect(readNpy(file(FLOATS))).toEqual({ dims: [2, 3], data: new Float32Array([0, 0.5, 1, 1.5, 2, 2.5]) });
  expect(readNpy(file(INTEGERS))).toEqual({ dims: [3], data: new BigInt64Array([1n, -2n, 3n]) });
});

it.each([
  ['order of Fortran', FORTRAN],
  ['not of numbers', COMPLEX],
  ['not of numbers', BIG_ENDIAN],
  ['not a .npy array', new Uint8Array(200)],
  ['takes 24 bytes, and the file has 20', Buffer.from(FLOATS, 'base64').subarray(0, -4)],
])('refuses what it cannot read: %s', (message, content) => {
  expect(() => readNpy(file(content))).toThrow(
    expect.objectContaining({ code: 'NPY_FORMAT', message: expect.stringContaining(message) }),
  );
});

it('refuses a file that is not there', () => {
  expect(() => readNpy(join(folder, 'nowhere.npy'))).toThrow(
    expect.objectContaining({ code: 'FILE_UNREADABLE' }),
  );
});
