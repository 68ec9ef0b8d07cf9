/** Controllers by name, and what `--controllers` chooses of them. */

const onByDefault = [
  'namespace',
  'garbagecollector',
  'clusterrole-aggregation',
  'serviceaccount',
  'serviceaccount-token',
  'root-ca-cert-publisher',
  'resourcequota',
] as const;
/** Many have no use for bootstrap tokens. */
const offByDefault = ['bootstrapsigner', 'tokencleaner'] as const;

/** Every controller. */
export const controllerNames = [...onByDefault, ...offByDefault] as const;

export type ControllerName = (typeof controllerNames)[number];

/**
 * Reads `--controllers`: `*` all that are on by default, `name` also that one, `-name` not that one.
 * @returns the chosen names, and the words that name no controller
 */
export function chooseControllers(words: readonly string[]): {
  names: Set<ControllerName>;
  unknown: string[];
} {
  const names = new Set<ControllerName>(words.includes('*') ? onByDefault : []);
  const unknown: string[] = [];
  for (const word of words.filter((w) => w !== '*' && w !== '')) {
    const name = controllerNames.find((n) => n === word.replace(/^-/, ''));
    if (name === undefined) unknown.push(word);
    else if (word.startsWith('-')) names.delete(name);
    else names.add(name);
  }
  return { names, unknown };
}
