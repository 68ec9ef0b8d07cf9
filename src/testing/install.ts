/** Brings definitions and objects into a control plane. */
import type { ApiClient } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { readManifests, type Manifest } from './manifests.ts';
import type { ApiObject } from './objects.ts';
import { until } from './until.ts';

const definitionKind = 'CustomResourceDefinition';

/**
 * Creates the definitions of files and folders, and waits until all are served.
 * @throws Error that names a file, or ApiError with what the service does not accept
 */
export async function installDefinitions(client: ApiClient, paths: readonly string[]): Promise<void> {
  const manifests = (await Promise.all(paths.map(readManifests))).flat();
  for (const { object, source } of manifests)
    if (object.kind !== definitionKind)
      throw new Error(
        `${String(source)}: ${String(object.metadata.name)} is a ${object.kind}, no ${definitionKind}: give it as one of \`objects\``,
      );
  await createAll(client, manifests);
}

/** Creates objects (as JSON), or those of files and folders; definitions and namespaces first. */
export async function installObjects(
  client: ApiClient,
  given: readonly (string | { readonly json: string })[],
): Promise<void> {
  const read = given.map(async (each) =>
    typeof each === 'string' ? readManifests(each) : [{ object: JSON.parse(each.json) as ApiObject }],
  );
  await createAll(client, (await Promise.all(read)).flat());
}

async function createAll(client: ApiClient, manifests: readonly Manifest[]): Promise<void> {
  for (const stage of [definitionKind, 'Namespace', undefined]) {
    const now = manifests.filter(({ object }) => stageOf(object.kind) === stage);
    const created = await Promise.all(now.map((manifest) => create(client, manifest)));
    if (stage === definitionKind) await Promise.all(created.map((definition) => served(client, definition)));
  }
}

/** @throws ApiError that names the file */
async function create(client: ApiClient, { object, source }: Manifest): Promise<ApiObject> {
  try {
    return await client.create(object);
  } catch (error) {
    if (source === undefined || !(error instanceof ApiError)) throw error;
    throw new ApiError(`${error.request} (${source})`, error.status);
  }
}

function stageOf(kind: string): string | undefined {
  return kind === definitionKind || kind === 'Namespace' ? kind : undefined;
}

interface Definition extends ApiObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

async function served(client: ApiClient, { apiVersion, kind, metadata }: ApiObject): Promise<void> {
  const reference = { apiVersion, kind, metadata: { name: String(metadata.name) } };
  await until<Definition>(client, reference, (definition) => {
    const conditions = definition?.status?.conditions ?? [];
    const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
    if (refused !== undefined)
      throw new Error(`${String(metadata.name)} is not served: ${String(refused.message)}`);
    return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  });
}
