/** Whether options are what they may be: what a caller without types gets wrong has to be said, not passed over. */
import type { ControlPlaneOptions } from './options.ts';
import { isListOfNames } from './users.ts';

/** What a value should be; undefined if it is that. */
type Check = (value: unknown) => string | undefined;

type CheckedOption = Exclude<keyof ControlPlaneOptions, 'port'>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
const isUser = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const { name, groups = [] } = value as { name?: unknown; groups?: unknown };
  return isText(name) && isListOfNames(groups);
};
const hasOnly = (value: unknown, isGood: (member: unknown) => boolean): boolean =>
  isObject(value) && Object.values(value as object).every(isGood);

function oneOf(...values: readonly string[]): Check {
  return (value) => (values.includes(value as string) ? undefined : `give ${values.join(' or ')}`);
}

function that(words: string, isGood: (value: unknown) => boolean): Check {
  return (value) => (isGood(value) ? undefined : `give ${words}`);
}

function listOf(words: string, isGood: (value: unknown) => boolean): Check {
  return that(`a list of ${words}`, (value) => Array.isArray(value) && value.every(isGood));
}

const checks: Readonly<Record<CheckedOption, Check>> = {
  engine: oneOf('memory', 'etcd'),
  etcdServers: listOf('URLs', isText),
  naming: that('a text', isText),
  release: that("a text such as '1.30'", isText),
  admission: that('an object with `enable` or `disable`, lists of names', (value) =>
    hasOnly(value, Array.isArray),
  ),
  controllers: listOf('names', isText),
  featureGates: that('an object of booleans', (value) => hasOnly(value, (on) => typeof on === 'boolean')),
  users: listOf("users such as { name: 'jane' }", isUser),
  state: that('the path of a file', isText),
  crds: listOf('files and folders of definitions; definitions as objects go into `objects`', isText),
  objects: listOf('objects, or files and folders of manifests', (each) => isText(each) || isObject(each)),
  clock: oneOf('system', 'virtual'),
  logs: oneOf('attached', 'printed', 'quiet'),
  seed: that('a whole number', Number.isInteger),
  advertiseAddress: that('a name or an address', isText),
  advertisePort: that(
    'a port',
    (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536,
  ),
  flags: that('an object of texts, numbers and booleans', (value) => hasOnly(value, isScalar)),
};

/**
 * Checks what can be seen without a server; flags are checked by the service.
 * @throws TypeError with all faults at once
 */
export function checkOptions(options: ControlPlaneOptions): void {
  const faults = Object.entries(options).flatMap(([name, value]) => faultOf(name, value) ?? []);
  if (faults.length > 0) throw new TypeError(faults.join('; '));
}

function faultOf(name: string, value: unknown): string | undefined {
  if (value === undefined || name === 'port') return undefined;
  if (!Object.hasOwn(checks, name))
    return `there is no option ${name}; options are ${[...Object.keys(checks), 'port'].join(', ')}`;
  const wanted = checks[name as CheckedOption](value);
  return wanted && `the option ${name} cannot be used: ${wanted}`;
}
