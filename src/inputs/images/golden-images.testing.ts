// Images that Pillow and a plain encoder wrote, with their pixels (verify/golden/images.py).
import { readFileSync } from 'node:fs';

interface GoldenFile {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly max: number;
  readonly samples: readonly number[];
}

export interface GoldenResizing {
  readonly height: number;
  readonly width: number;
  readonly samples: readonly number[];
  readonly toHeight: number;
  readonly toWidth: number;
  readonly resized: readonly number[];
}

export interface GoldenTensor {
  readonly name: string;
  readonly channels: 1 | 3;
  readonly tensor: readonly number[];
}

const golden = JSON.parse(readFileSync(new URL('fixtures/images.json', import.meta.url), 'utf8')) as {
  readonly files: Readonly<Record<string, GoldenFile>>;
  readonly resizing: readonly GoldenResizing[];
  readonly normalised: readonly GoldenTensor[];
};

export const { files, resizing, normalised } = golden;

export const bytesOf = (name: string): Buffer => Buffer.from(files[name]!.file, 'base64');
