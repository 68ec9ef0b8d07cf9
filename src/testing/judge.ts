/** What a caller without types gets wrong has to be said, not passed over: which argument or option it is, and what may be given. */

/** What a value should be, as a sentence goes on: `give a port, not "https"`; undefined if it is that. */
export type Check = (value: unknown) => string | undefined;

/** Of each option that a call has. One that is undefined is as one that is left out. */
export type Checks<T> = Readonly<Record<keyof T, Check>>;

export const isText = (value: unknown): boolean => typeof value === 'string';
export const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isPort = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;

export function that(words: string, isGood: (value: unknown) => boolean): Check {
  return (value) => (isGood(value) ? undefined : `give ${words}, not ${shown(value)}`);
}

export function oneOf(...values: readonly string[]): Check {
  return that(values.join(' or '), (value) => values.includes(value as string));
}

export function listOf(words: string, isGood: (value: unknown) => boolean): Check {
  const wanted = `give a list of ${words}`;
  return (value) => {
    if (!Array.isArray(value)) return `${wanted}, not ${shown(value)}`;
    const at = value.findIndex((each) => !isGood(each));
    return at < 0 ? undefined : `${wanted}, not ${shown(value[at])} as number ${String(at + 1)} of it`;
  };
}

export const aText = that('a text', isText);
export const aBoolean = that('true or false', (value) => typeof value === 'boolean');
export const aFunction = that('a function', (value) => typeof value === 'function');
export const anObject = that('an object', isObject);
export const aSignal = that('an AbortSignal', (value) => value instanceof AbortSignal);
export const milliseconds = that(
  'a number of milliseconds',
  (value) => typeof value === 'number' && value >= 0,
);
/** For what is looked at elsewhere. */
export const anything: Check = () => undefined;

/** @throws TypeError that names the call and says what may be given */
export function judge(call: string, value: unknown, check: Check): void {
  const fault = check(value);
  if (fault !== undefined) throw new TypeError(`${call}: ${fault}`);
}

/** @throws TypeError that names the call, with all that is wrong with its options */
export function judgeOptions<T>(call: string, options: T, checks: Checks<T>): void {
  const names = Object.keys(checks);
  judge(call, options, that(`an object with options (${names.join(', ')})`, isObject));
  const faults = Object.entries(options as object).flatMap(([name, value]) => {
    if (!Object.hasOwn(checks, name)) return [`there is no option ${name}; options are ${names.join(', ')}`];
    const fault = value === undefined ? undefined : checks[name as keyof T](value);
    return fault === undefined ? [] : [`the option ${name} cannot be used: ${fault}`];
  });
  if (faults.length > 0) throw new TypeError(`${call}: ${faults.join('; ')}`);
}

const mostShown = 60;

/** Short, whatever it is. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, mostShown));
  if (typeof value === 'function') return 'a function';
  if (value instanceof Promise) return 'a promise: it lacks `await`';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
