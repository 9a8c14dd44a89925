// Typical mistakes of a user of every command: exit code and code of the error. `-` is wrong usage that has no code.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile, forAll, isUpdate, readFixture, run, scratch, writeFixture } from './harness.js';

const FIXTURE = 'mistakes.json';
const { folder, remove } = scratch('mistakes');
afterAll(remove);

const ARCH = '|nor_conv_3x3~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|none~2|';
const [NET, ACCURACY, GPT] = ['resnet8.onnx', 'nasbench201-accuracy.onnx', 'gpt.onnx'].map(findFile) as [
  string,
  string,
  string,
];
const FILES: Record<string, string> = {
  'empty.onnx': '',
  'lfs.onnx': 'version https://git-lfs.github.com/spec/v1\n',
  'plain.csv': `arch,ms\n${ARCH},1\n`,
  'words.csv': `arch,ms\n${ARCH},one\n`,
  'head.csv': '# auspex {"table":1,"space":"nasbench201"\narch,ms\n',
  'archs.txt': `${ARCH}\nnonsense\n`,
  'table.csv': `# auspex {"table":1,"space":"nasbench201","labels":{"acc":{"unit":"%","higherIsBetter":true,"provenance":"made up"}}}\narch,acc\n${ARCH},90\n`,
};

/** Arguments of every case; a part in capitals stands for a path or a text. */
const CASES = [
  'inspect',
  'inspekt x.onnx',
  'convert NET',
  'convert NET --opset 99 --dry-run',
  'convert NET --opset 12 --dry-run',
  'inspect nowhere.onnx',
  'inspect empty.onnx',
  'inspect lfs.onnx',
  'inspect NET --shape x=1x3x32x32',
  'inspect NET --shape image=1x4x32x32',
  'inspect NET --shape image=1x-3',
  'inspect NET --dim batch=2',
  'inspect NET --dim batch=two',
  'inspect NET --dim batch',
  'space sample nasbench202',
  'space sample nasbench201 -n many',
  'space describe nasbench201',
  'space describe nasbench201 nonsense',
  'space export nasbench201 nonsense -o never.onnx',
  'space export nasbench201 ARCH -o nowhere/x.onnx',
  'data show nowhere.csv',
  'data show plain.csv',
  'data show head.csv',
  'data import plain.csv -o out.xlsx',
  'data import words.csv --space nasbench201 --label ms -o out.csv',
  'data export table.csv -o out.csv --labels what',
  'data split table.csv --train 5 -o s',
  'predict',
  'predict nonsense',
  'predict ACCURACY NET',
  'predict ACCURACY ARCH --label what',
  'predict ACCURACY --input archs.txt',
  'predict ACCURACY ARCH --space fbnet',
  'train magic --data plain.csv --label ms -o p.onnx',
  'train forest --data nowhere.csv --label ms -o p.onnx',
  'train forest --data plain.csv --space nasbench201 --label y -o p.onnx',
  'train forest --data plain.csv --space nasbench201 --label ms --train 500 -o p.onnx',
  'train forest --data plain.csv --space nasbench201 --label ms --validation 0 --steps 5 -o p.onnx',
  'train gcn --data plain.csv --space hwgpt-s --label ms --validation 0 -o p.onnx',
  'train gcn --data plain.csv --space nasbench201 --label ms --validation 0 --from ACCURACY -o p.onnx',
  'train forest --data plain.csv --space nasbench201 --label ms --validation 0 --model {"width":5} -o p.onnx',
  'pretrain forest --space nasbench201 -o p.onnx',
  'pretrain gcn --space hwgpt-s -o p.onnx',
  'proxy',
  'proxy NET --proxies snap',
  'proxy NET --proxies fisher:what',
  'proxy nowhere.onnx --proxies snip',
  'proxy --space nasbench201 nonsense --proxies params',
  'proxy GPT --proxies snip --weights what',
  'proxy NET --proxies zen --features what',
  'proxy correlate --data table.csv --label acc --proxies params',
  'search nasbench201 --budget 3',
  'search nasbench201 --evaluator what --budget 3',
  'search nasbench201 --evaluator table:table.csv --label what --budget 3',
  'search fbnet --evaluator predictor:ACCURACY --budget 3',
  'search nasbench201 --evaluator predictor:ACCURACY --option what=3 --budget 3',
  'search nasbench201 --evaluator predictor:ACCURACY --option population=0 --budget 3',
  'search nasbench201 --evaluator predictor:ACCURACY --strategy etas --proxy snap --budget 3',
  'search nasbench201 --evaluator predictor:ACCURACY --max beauty=1 --budget 3',
  'evaluate NET --data table.csv',
  'evaluate ACCURACY --data table.csv --label what',
  'evaluate ACCURACY --data table.csv --label acc',
  'reproduce what',
  'reproduce nb201-accuracy --only zzz --data .',
];

interface Refusal {
  exit: number | null;
  code: string;
}

const found: Record<string, Refusal> = {};
const traces: string[] = [];

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const values: Record<string, string> = { NET, ACCURACY, GPT, ARCH };
  await forAll(CASES, async (text) => {
    const args = text
      .split(' ')
      .map((part) => part.replace(/\b(NET|ACCURACY|GPT|ARCH)$/, (name) => values[name]!));
    const { status, stderr } = await run(folder, args);
    if (/^\s+at .*\.js:\d/m.test(stderr)) traces.push(text);
    // A network of several that cannot be scored is named before the code.
    found[text] = { exit: status, code: /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*):\s/.exec(stderr)?.[1] ?? '-' };
  });
  if (isUpdate) writeFixture(FIXTURE, Object.fromEntries(CASES.map((text) => [text, found[text]])));
}, 240_000);

describe('mistakes', () => {
  const frozen = isUpdate ? {} : readFixture<Record<string, Refusal>>(FIXTURE);

  it('never end with a stack trace', () => {
    expect(traces).toEqual([]);
  });

  it.each(CASES)('auspex %s', (text) => {
    if (!isUpdate) expect(found[text]).toEqual(frozen[text]);
    expect([1, 2]).toContain(found[text]!.exit);
  });
});
