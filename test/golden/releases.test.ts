/**
 * What each release serves beside the one before, and what it no longer serves, with every version enabled; `(off)`: not
 * by default. After a wanted change write it again with UPDATE_GOLDEN=1 and read the difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInGroups } from '../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../src/api/schemas.ts';
import { namingProfiles } from '../../src/meta/naming.ts';
import { createFeatureGates } from '../../src/observe/feature-gates.ts';
import { featuresOf } from '../../src/observe/release-gates.ts';
import { parseRelease, releaseText, type Release } from '../../src/observe/release.ts';
import { buildCatalogue } from '../../src/registry/catalogue/catalogue.ts';
import { everyVersion } from '../../src/registry/catalogue/every-version.ts';
import { decideEnabled, knownReleases } from '../../src/registry/catalogue/enablement.ts';
import type { ResourceCatalogue, ServedResource } from '../../src/registry/types.ts';

const naming = namingProfiles.orch;

function catalogueOf(release: Release, settings: Readonly<Record<string, boolean>>): ResourceCatalogue {
  const gates = createFeatureGates({}, featuresOf(release));
  return buildCatalogue({
    ...{ naming, groups: builtInGroups, release },
    schemas: loadCatalogueSchemas(naming, release.minor),
    isEnabled: decideEnabled({ groups: builtInGroups, naming, release, settings }),
    isFeatureEnabled: (gate) => gates.isEnabled(gate),
  });
}

/** Kinds with their columns and subresources, and the fields of their types. */
function served(release: Release): Set<string> {
  const all = catalogueOf(release, { 'api/all': true });
  const usual = catalogueOf(release, {});
  const resources = all.groups().flatMap(({ versions }) => versions.flatMap((version) => version.resources));
  return new Set(resources.flatMap((resource) => linesOf(resource, usual)));
}

function linesOf({ gvk, gvr, definition }: ServedResource, usual: ResourceCatalogue): string[] {
  const isOn = usual.resource(gvr.group, gvr.version, gvr.resource) !== undefined;
  const name = `${gvr.group === '' ? '' : `${gvr.group}/`}${gvr.version} ${gvk.kind}`;
  return [
    `${name}${isOn ? '' : ' (off)'}`,
    ...definition.columns.map((column) => `${name} column ${column.name}`),
    ...definition.subresources.map((subresource) => `${name}/${subresource.name}`),
  ];
}

/** Differences of one release from the one before; parts of a kind that came or went are not listed with it. */
function differences(before: ReadonlySet<string>, after: ReadonlySet<string>): string[] {
  const gone = [...before].filter((line) => !after.has(line));
  const come = [...after].filter((line) => !before.has(line));
  return [...whole(gone).map((line) => `- ${line}`), ...whole(come).map((line) => `+ ${line}`)].sort();
}

function whole(lines: readonly string[]): string[] {
  const kinds = new Set(lines.filter((line) => !line.includes(' column ') && !/ \w+\/\w+$/.test(line)));
  const isPart = (line: string): boolean => {
    const kind = line.replace(/ column .*$/, '').replace(/( \w+)\/\w+$/, '$1');
    return kind !== line && (kinds.has(kind) || kinds.has(`${kind} (off)`));
  };
  return lines.filter((line) => !isPart(line));
}

test('kinds, columns and subresources of every release', () => {
  const file = join(import.meta.dirname, 'releases', 'kinds.json');
  const changes: Record<string, string[]> = {};
  let before = new Set<string>();
  for (const release of knownReleases()) {
    const after = served(release);
    if (before.size > 0) changes[releaseText(release)] = differences(before, after);
    before = after;
  }
  const text = `${JSON.stringify(changes, null, 2)}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});

test.each(knownReleases().map(releaseText))('every version that may be stored at %s has its types', (text) => {
  const schemas = loadCatalogueSchemas(naming, parseRelease(text)?.minor);
  const kinds = everyVersion({ naming, groups: builtInGroups, schemas });
  expect(kinds.length).toBeGreaterThan(100);
  expect(kinds.map(({ conversion }) => typeof conversion.toInternal)).not.toContain('undefined');
});

test('fields that each release brings to types that were there', () => {
  const file = join(import.meta.dirname, 'releases', 'fields.json');
  const fieldsOf = ({ minor }: Release): Map<string, string[]> => {
    const schemas = loadCatalogueSchemas(naming, minor);
    return new Map(
      schemas.names().flatMap((name) => {
        const schema = schemas.find(name);
        return schema?.type === 'struct' ? [[name, [...schema.fields.keys()]]] : [];
      }),
    );
  };
  const changes: Record<string, string[]> = {};
  let before: Map<string, string[]> | undefined;
  for (const release of knownReleases()) {
    const after = fieldsOf(release);
    const known = before;
    if (known)
      changes[releaseText(release)] = [...after].flatMap(([name, fields]) => {
        const former = known.get(name) ?? fields;
        return [
          ...fields.filter((field) => !former.includes(field)).map((field) => `+ ${name}.${field}`),
          ...former.filter((field) => !fields.includes(field)).map((field) => `- ${name}.${field}`),
        ];
      });
    before = after;
  }
  const text = `${JSON.stringify(changes, null, 2)}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});
