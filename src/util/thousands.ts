// Whole numbers as people read them. `toLocaleString` gives the same, but loads the data of all languages first.

/** Thousands separated: `11,689,512`. */
export function thousands(count: number | bigint): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d|\.))/g, ',');
}
