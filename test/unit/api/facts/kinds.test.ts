/** Kinds and versions: which there are in each release, their names and verbs, what is deprecated, removed and on by default. */
import { builtInGroups } from '../../../../src/api/index.ts';
import { expandNames } from '../../../../src/meta/naming.ts';
import type { ServedResource } from '../../../../src/registry/types.ts';
import { kindExceptions, lateBetas, lifeExceptions } from '../../../support/facts/exceptions.ts';
import {
  catalogueAt,
  factName,
  factsIn,
  factsOf,
  minorOf,
  minors,
  naming,
  needless,
  newest,
  oldest,
  resourcesOf,
  switches,
  unexplained,
  type Fact,
} from '../../../support/facts/facts.ts';

const everything = { 'api/all': true };
const lives = factsOf('lifecycle').map((life) => ({
  ...life,
  name: `${life['group'] ?? ''}/${life['version'] ?? ''}.${life['kind'] ?? ''}`,
}));

function isAlive({ introduced = '', removed = '' }: Fact, minor: number): boolean {
  return minor >= minorOf(introduced) && (removed === '' || minor < minorOf(removed));
}

/** Where the life of a kind in a version is another one in this release. */
function differingLives(minor: number): string[] {
  const served = new Set(resourcesOf(catalogueAt(minor, everything)).map(factName));
  const alive = new Set(lives.filter((life) => isAlive(life, minor)).map(({ name }) => name));
  return [
    ...[...alive.difference(served)].map((name) => `${name} is missing in 1.${String(minor)}`),
    ...[...served.difference(alive)].map((name) => `${name} is not of 1.${String(minor)}`),
  ];
}

test.each(minors)('kinds and versions of 1.%i', (minor) => {
  expect(unexplained(differingLives(minor), lifeExceptions)).toEqual([]);
});

test('deprecations, removals and what takes the place', () => {
  expect(unexplained(differingEnds(), lifeExceptions)).toEqual([]);
});

test('each exception of lives is one', () => {
  const lines = [...minors.flatMap(differingLives), ...differingEnds()];
  expect(needless(lines, lifeExceptions)).toEqual([]);
});

function differingEnds(): string[] {
  const byName = new Map(lives.map((life) => [life.name, life as Fact]));
  return builtInGroups.flatMap(({ group, resources }) =>
    resources.flatMap(({ kind, versions }) =>
      versions.flatMap(({ version, deprecatedIn, removedIn, replacement = '' }) => {
        const name = `${expandNames(group, naming) || 'core'}/${version}.${kind}`;
        const fact = byName.get(name);
        if (!fact) return [];
        const own = { deprecated: deprecatedIn, removed: removedIn, replacement: shortened(replacement) };
        return Object.entries(own)
          .filter(
            ([column, value = '']) => value !== fact[column] && !isNamedHereOnly(name, column, value, fact),
          )
          .map(([column, value = '']) => `${name} ${column} ${fact[column] ?? ''}, here ${value}`);
      }),
    ),
  );
}

/** Where facts name no replacement, the warning may name another version of the kind. */
function isNamedHereOnly(name: string, column: string, value: string, fact: Fact): boolean {
  const [group, kind] = [name.replace(/\/.*$/, ''), name.replace(/^.*\./, '')];
  const isOther = lives.some((life) => life.name === value && value !== name);
  return (
    column === 'replacement' &&
    fact[column] === '' &&
    isOther &&
    value.startsWith(`${group}/`) &&
    value.endsWith(`.${kind}`)
  );
}

/** `apps/v1 Deployment` as facts write it. */
function shortened(replacement: string): string {
  return expandNames(replacement, naming).replace(' ', '.');
}

/** Beta versions that came with 1.24 or later are off (KEP-3136), alpha ones always were. */
test.each(minors)('what is on by default in 1.%i', (minor) => {
  const introduced = new Map(lives.map(({ name, introduced: since = '' }: Fact) => [name, minorOf(since)]));
  const usual = new Set(resourcesOf(catalogueAt(minor)).map(factName));
  const wrong = resourcesOf(catalogueAt(minor, everything)).filter((resource) => {
    const { version } = resource.gvk;
    const isLateBeta = version.includes('beta') && (introduced.get(factName(resource)) ?? 0) >= 24;
    return usual.has(factName(resource)) !== (!version.includes('alpha') && !isLateBeta);
  });
  expect(unexplained(wrong.map(factName), lateBetas)).toEqual([]);
});

/** Columns of the facts, as a release has them. */
function shapeOf(resource: ServedResource, usual: ReadonlySet<string>): Fact {
  const { definition, listKind } = resource;
  const isVirtual = definition.virtual === true;
  return {
    listKind: isVirtual ? '' : listKind,
    plural: definition.plural,
    singular: definition.kind.toLowerCase(),
    shortNames: definition.shortNames.join(','),
    categories: definition.categories.join(','),
    namespaced: String(definition.namespaced),
    verbs: [...definition.verbs].sort().join(','),
    virtual: String(isVirtual),
    enabledByDefault: String(usual.has(factName(resource))),
  };
}

function shapesAt(minor: number): Map<string, Fact> {
  const usual = new Set(resourcesOf(catalogueAt(minor)).map(factName));
  return new Map(
    resourcesOf(catalogueAt(minor, everything)).map((resource) => [
      factName(resource),
      shapeOf(resource, usual),
    ]),
  );
}

function differingShapes(minor: number, release: 'old' | 'new'): string[] {
  const shapes = shapesAt(minor);
  const facts = factsIn('kinds', release).filter(({ plural }) => plural !== '');
  return facts.flatMap((fact) => {
    const name = `${fact['group'] ?? ''}/${fact['version'] ?? ''}.${fact['kind'] ?? ''}`;
    const shape = shapes.get(name);
    if ((shape !== undefined) !== (fact['served'] === 'true'))
      return [`${name} served ${fact['served'] ?? ''}`];
    return Object.entries(shape ?? {})
      .filter(([column, value]) => value !== fact[column])
      .map(([column, value]) => `${name} ${column} ${fact[column] ?? ''}, here ${value}`);
  });
}

test.each([
  [oldest, 'old'],
  [newest, 'new'],
] as const)('names, verbs and categories of 1.%i', (minor, release) => {
  expect(unexplained(differingShapes(minor, release), kindExceptions)).toEqual([]);
});

test('each exception of kinds is one', () => {
  const lines = [...differingShapes(oldest, 'old'), ...differingShapes(newest, 'new')];
  expect(needless(lines, kindExceptions)).toEqual([]);
});

test('between these releases, names, verbs and categories change once at most', () => {
  expect(switches(minors.map(shapesAt))).toEqual([]);
});
