// The log of making IO data: what was asked for, then a record for every network that was trained. Numbers are kept as the
// bytes that the file will have, so that a resumed run writes the same file.
import * as z from 'zod';
import { differences, type Fingerprint, fingerprint } from '../../../store/fingerprint.js';
import type { IoNetwork } from '../../../store/io-data.js';
import { AuspexError } from '../../../util/errors.js';

export const ioHeader = z.object({ kind: z.literal('io'), version: z.literal(1), fingerprint });

const record = z.object({
  network: z.string(),
  accuracy: z.object({ seen: z.number(), unseen: z.number() }),
  minimum: z.base64(),
  step: z.base64(),
  levels: z.base64(),
});
type IoRecord = z.infer<typeof record>;

/** What is known of a network besides its part. */
export type MadeNetwork = Omit<IoNetwork, 'part'>;

export function recordOf({ text, accuracy, minimum, step, levels }: MadeNetwork): IoRecord {
  const packed = ({ buffer, byteOffset, byteLength }: Float32Array | Uint8Array): string =>
    Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('base64');
  return {
    network: text,
    accuracy,
    minimum: packed(minimum),
    step: packed(step),
    levels: packed(levels),
  };
}

/** What a log says is done. @throws AuspexError IO_LOG, IO_LOG_OTHER */
export function readLog(records: readonly unknown[], now: Fingerprint, file: string): MadeNetwork[] {
  const [first, ...others] = records;
  const header = ioHeader.safeParse(first);
  if (!header.success) throw damaged(file, 'its first line is not that of IO data');
  expectSame(header.data.fingerprint, now, file);
  return others.map((line, i) => {
    const { data } = record.safeParse(line);
    if (data === undefined) throw damaged(file, `line ${i + 2} is not a network`);
    return {
      text: data.network,
      accuracy: data.accuracy,
      minimum: floats(data.minimum),
      step: floats(data.step),
      levels: Uint8Array.from(Buffer.from(data.levels, 'base64')),
    };
  });
}

function floats(text: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
}

function damaged(file: string, what: string): AuspexError {
  return new AuspexError('IO_LOG', `the log cannot be read: ${what}`, {
    where: { file },
    hint: 'delete it to start over, or write to another file',
  });
}

/** @throws AuspexError IO_LOG_OTHER */
export function expectSame(before: Fingerprint, now: Fingerprint, file: string): void {
  const differing = differences(before, now);
  if (differing.length === 0) return;
  throw new AuspexError('IO_LOG_OTHER', `this is other IO data: ${differing.join('; ')}`, {
    where: { file },
    hint: 'give the same options as before, or write to another file',
  });
}
