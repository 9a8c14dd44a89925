// The proxies made of what networks compute, and those of transformers, by name.

import type { ZeroCostProxy } from '../proxy.js';
import { dss } from './dss.js';
import { lengthDistortion } from './length-distortion.js';
import { meco } from './meco.js';
import { naswot } from './naswot.js';
import { ntkt } from './ntkt.js';
import { sept } from './sept.js';
import { zen } from './zen.js';

export const ACTIVATION_PROXIES: readonly ZeroCostProxy[] = [naswot, zen, meco, lengthDistortion];
export const TRANSFORMER_PROXIES: readonly ZeroCostProxy[] = [dss, sept, ntkt];
