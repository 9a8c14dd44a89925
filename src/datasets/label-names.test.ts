// What names of labels say: directions, units, transforms.
import { describe, expect, it } from 'vitest';
import { meaningOf } from './label-names.js';

describe('names of labels', () => {
  it.each([
    ['lat_ms', 'ms', 'lower', 'log'],
    ['ms', 'ms', 'lower', 'log'],
    ['pixel2_ms', 'ms', 'lower', 'log'],
    ['latency', '', 'lower', 'log'],
    ['latencyMs', 'ms', 'lower', 'log'],
    ['lat', '', 'lower', 'log'],
    ['train_time_s', 's', 'lower', 'log'],
    ['train_seconds', 's', 'lower', 'log'],
    ['infer_us', 'µs', 'lower', 'log'],
    ['cifar10_edgegpu_energy', '', 'lower', 'log'],
    ['energy_mJ', 'mJ', 'lower', 'log'],
    ['energy (J)', 'J', 'lower', 'log'],
    ['peak_mem_MB', 'MB', 'lower', 'log'],
    ['test_ppl', '', 'lower', 'log'],
    ['perplexity', '', 'lower', 'log'],
    ['params', '', 'lower', 'log'],
    ['flops', '', 'lower', 'log'],
    ['macc', '', 'lower', 'log'],
    ['val_loss', '', 'lower', 'linear'],
    ['trainloss', '', 'lower', 'linear'],
    ['top1_error', '', 'lower', 'linear'],
    ['err', '', 'lower', 'linear'],
    ['error_pct', '%', 'lower', 'linear'],
    ['acc', '', 'higher', 'linear'],
    ['testacc', '', 'higher', 'linear'],
    ['valAcc', '', 'higher', 'linear'],
    ['accuracy(%)', '%', 'higher', 'linear'],
    ['top-1 %', '%', 'higher', 'linear'],
    ['imagenet_top5', '', 'higher', 'linear'],
    ['coco_mAP', '', 'higher', 'linear'],
    ['mIoU', '', 'higher', 'linear'],
    ['f1', '', 'higher', 'linear'],
    ['BLEU', '', 'higher', 'linear'],
    ['fps', 'fps', 'higher', 'log'],
    ['time_to_accuracy', '', 'lower', 'log'],
  ])('%s: unit %j, %s, %s', (name, unit, better, transform) => {
    const { from, ...meaning } = meaningOf(name);
    expect(meaning).toEqual({ unit, better, transform });
    expect(from).not.toEqual([]);
  });

  it.each(['quality', 'y', 's', 'j_curve', 'cifar10', 'platform', 'flat', 'stereo'])(
    '%s is a guess',
    (name) => {
      expect(meaningOf(name)).toEqual({ unit: '', better: 'higher', transform: 'linear', from: [] });
    },
  );

  it('tell the words they were inferred from', () => {
    expect(meaningOf('pixel2_lat_ms').from).toEqual(['lat', 'ms']);
    expect(meaningOf('board_ms').from).toEqual(['ms']);
  });
});
