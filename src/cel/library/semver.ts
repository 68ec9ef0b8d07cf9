/** Semantic versions: `semver('1.2.3').isLessThan(semver(self.version))` (semver.org, version 2.0.0). */
import { EvaluationError } from '../language/errors.ts';
import { global, member, type CallCost, type Overload } from '../language/functions.ts';
import { opaque } from '../language/types.ts';
import { Opaque } from '../language/values.ts';

const semverType = opaque('Semver');

export class SemverValue extends Opaque {
  readonly type = semverType;
  /** Major, minor, patch. */
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  equals(other: Opaque): boolean {
    return other instanceof SemverValue && compareVersions(this, other) === 0;
  }
}

const syntax =
  /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const identifier = /^(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)$/;
const maxUint = 2n ** 64n - 1n;

/** @param isLoose a `v` before, leading zeros and missing parts are forgiven */
export function readSemver(text: string, isLoose = false): SemverValue | undefined {
  if (text.length > 256) return undefined;
  const [, major = '', minor = '', patch = '', prerelease] =
    syntax.exec(isLoose ? normalized(text) : text) ?? [];
  const parts = prerelease === undefined ? [] : prerelease.split('.');
  if (major === '' || !parts.every((part) => identifier.test(part))) return undefined;
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  return numbers.some((number) => number > maxUint) ? undefined : new SemverValue(numbers, parts);
}

function normalized(text: string): string {
  const [, core = '', rest = ''] = /^v?([0-9.]*)(.*)$/s.exec(text) ?? [];
  const parts = core.split('.').map((part) => part.replace(/^0+(?=[0-9])/, ''));
  while (parts.length < 3) parts.push('0');
  return parts.join('.') + rest;
}

function compareVersions(a: SemverValue, b: SemverValue): number {
  for (let i = 0; i < 3; i += 1) {
    const order = compareNumbers(a.numbers[i] ?? 0n, b.numbers[i] ?? 0n);
    if (order !== 0) return order;
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

/** Without one is newest; of two the first part that differs decides, then the longer one is newer. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0)
    return Number(b.length > 0) === Number(a.length > 0) ? 0 : a.length === 0 ? 1 : -1;
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const order = compareIdentifiers(a[i] ?? '', b[i] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (isNumber && isOtherNumber) return compareNumbers(BigInt(a), BigInt(b));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

function need(text: string, isLoose = false): SemverValue {
  const version = readSemver(text, isLoose);
  if (!version) throw new EvaluationError(`no semantic version: ${JSON.stringify(text.slice(0, 50))}`);
  return version;
}

const wholeText: CallCost = (text: string) => Math.ceil(text.length * 0.1);
const numberNames = ['major', 'minor', 'patch'] as const;

export const semvers: readonly Overload[] = [
  global('semver', 'string_to_semver', 'string -> Semver', (_run, text: string) => need(text), wholeText),
  global(
    'semver',
    'string_bool_to_semver',
    'string, bool -> Semver',
    (_run, text: string, isLoose: boolean) => need(text, isLoose),
    wholeText,
  ),
  global(
    'isSemver',
    'is_semver_string',
    'string -> bool',
    (_run, text: string) => readSemver(text) !== undefined,
    wholeText,
  ),
  global(
    'isSemver',
    'is_semver_string_bool',
    'string, bool -> bool',
    (_run, text: string, isLoose: boolean) => readSemver(text, isLoose) !== undefined,
    wholeText,
  ),
  member(
    'isGreaterThan',
    'semver_is_greater_than',
    'Semver, Semver -> bool',
    (_run, a: SemverValue, b: SemverValue) => compareVersions(a, b) > 0,
  ),
  member(
    'isLessThan',
    'semver_is_less_than',
    'Semver, Semver -> bool',
    (_run, a: SemverValue, b: SemverValue) => compareVersions(a, b) < 0,
  ),
  member('compareTo', 'semver_compare_to', 'Semver, Semver -> int', (_run, a: SemverValue, b: SemverValue) =>
    BigInt(compareVersions(a, b)),
  ),
  ...numberNames.map((name, i) =>
    member(name, `semver_${name}`, 'Semver -> int', (_run, { numbers }: SemverValue) => numbers[i] ?? 0n),
  ),
];
