/** The documents of a catalogue: one per group version, per group, for the roots, and for the version. */
import { apiVersionOf } from '../../meta/gvk.ts';
import type { ResourceCatalogue, ServedGroup } from '../../registry/types.ts';
import type { WireTypes } from '../wire-types.ts';
import { hasProtobuf } from '../wire-types.ts';
import type { DocumentModel, PathModel } from './model.ts';
import { capital, groupWord, tagOf } from './operation-words.ts';
import { resourcePaths } from './operations.ts';

/** Models are made one by one, so that the caller may let others work between them. */
export function* documentModels(
  catalogue: ResourceCatalogue,
  types: WireTypes,
): Generator<DocumentModel, void, undefined> {
  const { apiDomain } = catalogue.naming;
  yield single('api', infoPath('/api/', ['getCoreAPIVersions', 'core', 'meta/v1.APIVersions']));
  yield single('apis', infoPath('/apis/', ['getAPIVersions', 'apis', 'meta/v1.APIGroupList']));
  for (const group of catalogue.groups()) {
    const word = groupWord(group.group, apiDomain);
    if (group.group !== '') {
      const path = infoPath(`/apis/${group.group}/`, [`get${word}APIGroup`, tagOf(word), 'meta/v1.APIGroup']);
      yield single(`apis/${group.group}`, path);
    }
    for (const version of group.versions) yield groupVersionModel(group.group, version, { types, word });
  }
  yield single('version', infoPath('/version/', ['getCodeVersion', 'version']));
}

function single(key: string, path: PathModel): DocumentModel {
  return { key, paths: [path], roots: [], custom: [] };
}

interface GroupVersionParts {
  readonly types: WireTypes;
  readonly word: string;
}

function groupVersionModel(
  group: string,
  { version, resources }: ServedGroup['versions'][number],
  { types, word }: GroupVersionParts,
): DocumentModel {
  const key = `${group === '' ? 'api' : 'apis'}/${apiVersionOf({ group, version })}`;
  const builtIn = resources.filter(({ description }) => !description);
  const described = builtIn.filter(hasProtobuf);
  const custom = resources.filter(({ description }) => description);
  const id = `get${word}${capital(version)}APIResources`;
  const own = infoPath(`/${key}/`, [id, tagOf(word, version), 'meta/v1.APIResourceList']);
  const paths = [own, ...[...described, ...custom].flatMap((resource) => resourcePaths(resource, types))];
  return {
    key,
    paths: paths.sort((a, b) => (a.path < b.path ? -1 : 1)),
    roots: described.map(({ schema }) => schema.name),
    custom,
  };
}

/** A document of the server about itself. */
function infoPath(
  path: string,
  [id, tag, type]: readonly [id: string, tag: string, type?: string],
): PathModel {
  const operation = {
    method: 'get',
    id,
    tag,
    description: 'Read what is available here.',
    query: [],
    produces: ['application/json'],
    answers: [{ code: 200, description: 'OK', ...(type !== undefined && { type }) }],
  } as const;
  return { path, inPath: {}, query: [], operations: [operation] };
}
