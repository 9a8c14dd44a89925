// A strategy from outside the package: the first architectures that are drawn, one by one.
import { z } from 'zod';

export default ({ registerStrategy }) => {
  registerStrategy('plain-draws', {
    summary: 'architectures as they are drawn',
    options: z.object({}),
    takesScorer: false,
    make: () => ({
      name: 'plain-draws',
      options: {},
      async *propose({ candidates, random }) {
        for (;;) yield [{ arch: await candidates.sample(random), by: 'sample' }];
      },
    }),
  });
};
