// Ranges of options that many models have.
import * as z from 'zod';

export const dropout = (rate: number) => z.number().min(0).max(0.9).default(rate);
export const width = (usual: number) => z.int().min(4).max(2048).default(usual);
export const layers = (usual: number) => z.int().min(1).max(64).default(usual);
