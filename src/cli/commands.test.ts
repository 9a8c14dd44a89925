import { describe, expect, it } from 'vitest';
import { commandsFor } from './commands.js';

describe('commandsFor', () => {
  it('gives all names with one line each, without loading a command', async () => {
    const all = await commandsFor(['--help']);
    expect(all.length).toBeGreaterThan(10);
    for (const command of all) {
      expect(command.summary().length).toBeGreaterThan(10);
      expect(command.options).toEqual([]);
    }
    expect((await commandsFor(['inspekt'])).map((command) => command.name())).toContain('inspect');
  });

  it('loads the command that is named, and its help', async () => {
    for (const args of [
      ['view', 'net.onnx'],
      ['help', 'view'],
    ]) {
      const [command, ...more] = await commandsFor(args);
      expect(command!.name()).toBe('view');
      expect(command!.options.length).toBeGreaterThan(0);
      expect(more).toEqual([]);
    }
  });

  it('needs none for the version', async () => {
    expect(await commandsFor(['-V'])).toEqual([]);
  });
});
