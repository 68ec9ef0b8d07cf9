/** Columns, field selectors, subresources, update and delete policies, and priorities of groups. */
import { builtInGroups } from '../../../../src/api/index.ts';
import { expandNames } from '../../../../src/meta/naming.ts';
import type { ServedResource } from '../../../../src/registry/types.ts';
import {
  columnExceptions,
  groupExceptions,
  strategyExceptions,
  subresourceExceptions,
} from '../../../support/facts/exceptions.ts';
import {
  catalogueAt,
  factName,
  factsIn,
  minors,
  naming,
  needless,
  newest,
  oldest,
  resourcesOf,
  switches,
  unexplained,
  type Exceptions,
  type Fact,
} from '../../../support/facts/facts.ts';

type Side = 'old' | 'new';
const everything = { 'api/all': true };
const served = new Map(minors.map((minor) => [minor, resourcesOf(catalogueAt(minor, everything))]));

function at(minor: number): readonly ServedResource[] {
  return served.get(minor) ?? [];
}

function columnsOf({ definition }: ServedResource): string {
  return definition.columns
    .map(({ name, type, format, priority }) => `${name}|${type}|${format}|${priority}`)
    .join('; ');
}

/** By kind, as all versions have the same. */
function factColumns(side: Side): Map<string, string> {
  const byKind = Map.groupBy(
    factsIn('columns', side).filter(({ index = '' }) => /^\d+$/.test(index)),
    ({ kind = '' }) => kind,
  );
  return new Map(
    [...byKind].map(([kind, rows]) => [
      kind,
      rows
        .filter(({ type }) => type !== '')
        .sort((a, b) => Number(a['index']) - Number(b['index']))
        .map(
          (row) =>
            `${row['column'] ?? ''}|${row['type'] ?? ''}|${row['format'] ?? ''}|${row['priority'] ?? ''}`,
        )
        .join('; '),
    ]),
  );
}

function differingColumns(minor: number, side: Side): string[] {
  return [...factColumns(side)].flatMap(([kind, expected]) => {
    const found = at(minor).filter(({ gvk }) => gvk.kind === kind);
    if (found.length === 0) return [`${kind} is not served`];
    return [...new Set(found.map(columnsOf))]
      .filter((own) => own !== expected)
      .map((own) => `${kind}\n  ${expected}, here\n  ${own}`);
  });
}

const strategyOf = ({ definition: { strategy } }: ServedResource, minor: number): string => {
  const counts = strategy.bumpsGeneration !== undefined && minor >= (strategy.generationSince ?? 0);
  return [strategy.createOnUpdate, strategy.unconditionalUpdate, strategy.defaultPropagation, counts].join(
    '|',
  );
};

function differingStrategies(minor: number, side: Side): string[] {
  const facts = new Map(factsIn('strategies', side).map((fact) => [fact['kind'], fact]));
  return at(minor).flatMap((resource) => {
    const fact = facts.get(factName(resource));
    if (!fact) return [];
    const counts = fact['generationBumpedBy'] !== '';
    const { createOnUpdate, unconditionalUpdate, defaultDeletionPropagation } = fact;
    const expected = [createOnUpdate, unconditionalUpdate, defaultDeletionPropagation, counts].join('|');
    const own = strategyOf(resource, minor);
    return own === expected ? [] : [`${factName(resource)} ${expected}, here ${own}`];
  });
}

function selectorsOf({ definition }: ServedResource): string {
  return Object.keys(definition.selectableFields).sort().join(',');
}

function differingSelectors(minor: number, side: Side): string[] {
  const own = factsIn('selectors', side).filter(({ field = '' }) => !field.startsWith('(custom resource)'));
  const byKind = Map.groupBy(own, ({ kind = '' }) => kind);
  return at(minor).flatMap((resource) => {
    const name = factName(resource);
    const expected = (byKind.get(name) ?? [])
      .map(({ field = '' }) => field)
      .sort()
      .join(',');
    const isSpecified = name === 'batch/v2alpha1.CronJob';
    return isSpecified || selectorsOf(resource) === expected
      ? []
      : [`${name} ${expected}, here ${selectorsOf(resource)}`];
  });
}

const nameOf = (fact: Fact): string =>
  [fact['group'], fact['version'], fact['plural'], fact['subresource']].join('/');

/** By name, kind, verbs, and whether it is a connection. */
function subresourcesAt(minor: number): Map<string, string> {
  return new Map(
    at(minor).flatMap(({ gvk, gvr, definition }) =>
      definition.subresources.map(({ name, kind = gvk, verbs, type }) => {
        const group = expandNames(kind.group, naming) || 'core';
        return [
          `${gvr.group || 'core'}/${gvr.version}/${gvr.resource}/${name}`,
          `${group}/${kind.version}.${kind.kind} ${[...verbs].sort().join(',')}${type === 'connect' ? ' connect' : ''}`,
        ] as const;
      }),
    ),
  );
}

function differingSubresources(minor: number, side: Side): string[] {
  const own = subresourcesAt(minor);
  const facts = factsIn('subresources', side).filter(
    ({ served: isServed, featureGate }) => isServed === 'true' && featureGate === '',
  );
  const expected = new Map(
    facts.map((fact) => [
      nameOf(fact),
      `${fact['kind'] ?? ''} ${fact['verbs'] ?? ''}${fact['connect'] === 'true' ? ' connect' : ''}`,
    ]),
  );
  const gated = new Set(
    factsIn('subresources', side)
      .filter(({ featureGate }) => featureGate !== '')
      .map(nameOf),
  );
  return [...new Set([...own.keys(), ...expected.keys()])].flatMap((name) => {
    const isGated = gated.has(name) && !expected.has(name);
    if (own.get(name) === expected.get(name) || isGated) return [];
    return [`${name} ${expected.get(name) ?? 'is none'}, here ${own.get(name) ?? 'none'}`];
  });
}

function differingGroups(minor: number, side: Side): string[] {
  const versionsOf = (settings: Readonly<Record<string, boolean>>): Set<string> =>
    new Set(
      resourcesOf(catalogueAt(minor, settings)).map(({ gvr }) => `${gvr.group || 'core'}/${gvr.version}`),
    );
  const [all, usual] = [versionsOf(everything), versionsOf({})];
  const priorities = new Map(
    builtInGroups.flatMap(({ group, groupPriorityMinimum, versions }) =>
      versions.map((version) => [
        `${expandNames(group, naming) || 'core'}/${version.version}`,
        [groupPriorityMinimum, version.versionPriority] as const,
      ]),
    ),
  );
  const facts = new Map(
    factsIn('groups', side).map((fact) => [`${fact['group'] ?? ''}/${fact['version'] ?? ''}`, fact]),
  );
  return [...new Set([...all, ...facts.keys()])].flatMap((name) => {
    const fact = facts.get(name);
    if (!fact) return [`${name} is none`];
    const [minimum = '', priority = ''] = [fact['groupPriorityMinimum'], fact['versionPriority']];
    const [ownMinimum, ownPriority] = priorities.get(name) ?? [];
    const own = [minimum && ownMinimum, priority && ownPriority, usual.has(name), all.has(name)].join('|');
    const expected = [minimum, priority, fact['enabledByDefault'], fact['served']].join('|');
    return own === expected ? [] : [`${name} ${expected}, here ${own}`];
  });
}

const tables: readonly (readonly [string, (minor: number, side: Side) => string[], Exceptions])[] = [
  ['columns', differingColumns, columnExceptions],
  ['field selectors', differingSelectors, {}],
  ['subresources', differingSubresources, subresourceExceptions],
  ['policies of updates and deletions', differingStrategies, strategyExceptions],
  ['groups', differingGroups, groupExceptions],
];

describe.each(tables)('%s', (_name, differing, exceptions) => {
  test.each([
    [oldest, 'old'],
    [newest, 'new'],
  ] as const)('of 1.%i', (minor, side) => {
    expect(unexplained(differing(minor, side), exceptions)).toEqual([]);
  });

  test('each exception is one', () => {
    expect(needless([...differing(oldest, 'old'), ...differing(newest, 'new')], exceptions)).toEqual([]);
  });
});

test('between these releases all of it changes once at most', () => {
  const releases = minors.map(
    (minor) =>
      new Map(
        at(minor).map((resource): [string, Fact] => [
          factName(resource),
          { strategy: strategyOf(resource, minor), selectors: selectorsOf(resource) },
        ]),
      ),
  );
  expect(switches(releases)).toEqual([]);
});

test.each([
  ['core/v1.Pod', 'spec.hostNetwork', 28],
  ['core/v1.Service', 'spec.clusterIP', 31],
  ['core/v1.Service', 'spec.type', 31],
])('%s is selected by %s since 1.%i', (name, field, since) => {
  const found = minors.filter((minor) =>
    at(minor).some(
      (resource) => factName(resource) === name && selectorsOf(resource).split(',').includes(field),
    ),
  );
  expect(found).toEqual(minors.filter((minor) => minor >= since));
});
