/** The order of texts by their code units (UTF-16), as `Array.prototype.sort` has it: negative where `a` comes first. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
