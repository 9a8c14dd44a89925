import { expect, it } from 'vitest';
import { preemptions, SpinningChoice } from './spinning-choice.js';

/** Runs of 100 ms; how often a second cores are taken away. @returns in which of them the choice changed */
function changes(choice: SpinningChoice, runs: number, perSecond: number): number[] {
  return Array.from({ length: runs }, (_, i) => (choice.ran(100, perSecond / 10) ? i : -1)).filter(
    (i) => i >= 0,
  );
}

it('spins as long as the machine is its own', () => {
  const choice = new SpinningChoice(200);
  expect(changes(choice, 1000, 5)).toEqual([]);
  expect(choice.isSpinning).toBe(true);
});

it('stops soon beside other programs, and spins again when they have ended', () => {
  const choice = new SpinningChoice(200);
  const [first, ...more] = changes(choice, 200, 100);
  expect(first).toBeLessThan(20);
  expect(more).toEqual([]);
  expect(choice.isSpinning).toBe(false);
  expect(changes(choice, 200, 5)).toHaveLength(1);
  expect(choice.isSpinning).toBe(true);
});

it('stays as it is between both', () => {
  const choice = new SpinningChoice(0);
  expect(changes(choice, 100, 20)).toEqual([]);
  changes(choice, 100, 100);
  expect(changes(choice, 100, 20)).toEqual([]);
});

it('waits until another session is worth its time', () => {
  const slow = new SpinningChoice(4000);
  expect(changes(slow, 35, 100)).toEqual([]);
  expect(changes(slow, 30, 100)).toHaveLength(1);
  expect(changes(slow, 350, 0)).toEqual([]);
});

it('spins for a small part of the time where only that shows that the machine is shared', () => {
  const choice = new SpinningChoice(200);
  let spinning = 0;
  const runs = 6000;
  for (let i = 0; i < runs; i++) {
    spinning += Number(choice.isSpinning);
    choice.ran(100, choice.isSpinning ? 10 : 0);
  }
  expect(spinning).toBeLessThan(0.05 * runs);
});

it('counts what the system counts', () => {
  expect(preemptions()).toBeGreaterThanOrEqual(0);
});
