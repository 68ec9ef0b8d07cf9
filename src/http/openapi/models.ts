/** The documents of a catalogue: one per group version, per group, for the roots, and for the version. */
import type { Slice } from '../../base/cooperate.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { ResourceCatalogue, ServedGroup, ServedResource } from '../../registry/types.ts';
import type { WireTypes } from '../wire-types.ts';
import { hasProtobuf } from '../wire-types.ts';
import type { DocumentModel, PathModel } from './model.ts';
import { capital, groupWord, tagOf } from './operation-words.ts';
import { resourcePaths } from './operations.ts';

/** What a document is made from. */
export interface DocumentSource {
  /** The path below `/openapi/v3/`. */
  readonly key: string;
  /** Two sources of one key that have the same resources give the same document. */
  readonly resources: readonly ServedResource[];
  readonly pieces: readonly PieceSource[];
}

/** A part of a document that stays the same while others change. */
export interface PieceSource {
  /** The custom resource that it describes, or all built-in ones of the document. Those never change. */
  readonly of: ServedResource | 'built-in';
  /** Made in slices. */
  readonly model: (slice: Slice) => Promise<DocumentModel>;
}

export function* documentSources(catalogue: ResourceCatalogue, types: WireTypes): Iterable<DocumentSource> {
  yield single('api', infoPath('/api/', ['getCoreAPIVersions', 'core', 'meta/v1.APIVersions']));
  yield single('apis', infoPath('/apis/', ['getAPIVersions', 'apis', 'meta/v1.APIGroupList']));
  for (const group of catalogue.groups()) yield* groupSources(group, types);
  yield single('version', infoPath('/version/', ['getCodeVersion', 'version']));
}

function groupSources({ group, versions }: ServedGroup, types: WireTypes): DocumentSource[] {
  const word = groupWord(group, types.naming.apiDomain);
  const ofVersions = versions.map((version) => versionSource(group, version, { types, word }));
  if (group === '') return ofVersions;
  const path = infoPath(`/apis/${group}/`, [`get${word}APIGroup`, tagOf(word), 'meta/v1.APIGroup']);
  return [single(`apis/${group}`, path), ...ofVersions];
}

function single(key: string, path: PathModel): DocumentSource {
  const model = { paths: [path], roots: [], custom: [] };
  return { key, resources: [], pieces: [{ of: 'built-in', model: () => Promise.resolve(model) }] };
}

interface GroupVersionParts {
  readonly types: WireTypes;
  readonly word: string;
}

function versionSource(
  group: string,
  { version, resources }: ServedGroup['versions'][number],
  { types, word }: GroupVersionParts,
): DocumentSource {
  const key = `${group === '' ? 'api' : 'apis'}/${apiVersionOf({ group, version })}`;
  const id = `get${word}${capital(version)}APIResources`;
  const own = infoPath(`/${key}/`, [id, tagOf(word, version), 'meta/v1.APIResourceList']);
  const ofResources = async (all: readonly ServedResource[], slice: Slice): Promise<PathModel[]> => {
    const paths: PathModel[] = [];
    for (const resource of all) {
      paths.push(...resourcePaths(resource, types));
      await slice.breathe();
    }
    return paths.sort((a, b) => (a.path < b.path ? -1 : 1));
  };
  const builtIn: PieceSource = {
    of: 'built-in',
    model: async (slice) => {
      const described = resources.filter(hasProtobuf);
      const paths = [own, ...(await ofResources(described, slice))];
      return { paths, roots: described.map(({ schema }) => schema.name), custom: [] };
    },
  };
  const custom = resources.filter(({ description }) => description);
  const ofCustom = (resource: ServedResource): PieceSource => ({
    of: resource,
    model: async (slice) => ({
      paths: await ofResources([resource], slice),
      roots: [],
      custom: [resource],
    }),
  });
  return { key, resources, pieces: [builtIn, ...custom.map(ofCustom)] };
}

/** The path of a server information document. */
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
