// The machine that measures, as far as it says: every number states where it was measured.
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';

export interface Machine {
  /** 'AMD EPYC 7763 64-Core Processor'. */
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  /** 'linux x64'. */
  readonly platform: string;
  /** Of the kernel that chooses clock rates, such as `performance` or `powersave`; undefined where it does not tell. */
  readonly governor: string | undefined;
  readonly node: string;
}

export function thisMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() || 'unknown processor',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
    governor: governor(),
    node: process.versions.node,
  };
}

function governor(): string | undefined {
  try {
    return readFileSync('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor', 'utf8').trim();
  } catch {
    return undefined;
  }
}
