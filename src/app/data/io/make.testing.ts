// Small images and networks for tests of IO data.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nasBench101 } from '../../../spaces/cells/nasbench101.js';
import { Random } from '../../../util/random.js';
import type { IoRequest } from './make.js';

/** Records of CIFAR-10, of all classes in turn. */
function cifar(count: number, seed: number): Uint8Array {
  const random = Random.seeded(seed);
  return Uint8Array.from({ length: count * 3073 }, (_, i) =>
    i % 3073 === 0 ? Math.floor(i / 3073) % 10 : random.below(256),
  );
}

/** Makes a folder of files. */
export function filesIn(path: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  mkdirSync(path, { recursive: true });
  for (const [file, bytes] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true });
    writeFileSync(join(path, file), bytes);
  }
  return path;
}

/** A request for a few small networks, with what it needs in a folder. */
export function smallRequest(folder: string, count: number, output: string): IoRequest {
  const random = Random.seeded(3);
  const texts = new Set<string>();
  while (texts.size < count) {
    const arch = nasBench101.sample(random);
    if (arch.adjacency.length < 6) texts.add(nasBench101.format(arch));
  }
  const files = {
    'cells.txt': `# cells\n${[...texts].join('\n')}\n`,
    'cifar/data_batch_1.bin': cifar(50, 1),
    'cifar/test_batch.bin': cifar(20, 2),
  };
  filesIn(folder, files);
  return {
    space: 'nasbench101',
    networks: join(folder, 'cells.txt'),
    images: join(folder, 'cifar'),
    output: join(folder, output),
    train: count - 1,
    validation: 1,
    trainingImages: 32,
    seenImages: 6,
    unseenImages: 5,
    accuracyImages: 12,
    resolution: 8,
    width: 1 / 16,
    cells: 1,
    epochs: 1,
    batch: 16,
    rate: 0.025,
    kept: 5,
    seed: 0,
  };
}
