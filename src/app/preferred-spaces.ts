/** Of spaces that read the same texts, the one that is meant. NNLQP's family repeats the cells of NAS-Bench-201. */
export const PREFERRED_SPACES: readonly string[] = ['nasbench201'];
