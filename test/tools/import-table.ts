/**
 * The house's import table as data: which room may import which, and which npm packages a room may use.
 * A room, or a package, without a row here is an error: widen the table only when the seam is right.
 */
export interface RoomRule {
  /** Rooms, or single files written as `registry/types.ts`. */
  readonly may: readonly string[];
  readonly packages: readonly string[];
}

const upToApi = ['base', 'meta', 'observe', 'schema', 'codec', 'patch', 'api'];
const upToStorage = [...upToApi, 'storage'];
const chains = ['authn', 'authz', 'admission', 'audit', 'flowcontrol'];
const upToChains = [...upToStorage, 'registry', ...chains];
const chainFace = [...upToStorage, 'registry/types.ts'];

export const importTable: Readonly<Record<string, RoomRule>> = {
  base: { may: [], packages: [] },
  meta: { may: ['base'], packages: [] },
  observe: { may: ['base'], packages: ['pino', 'prom-client'] },
  schema: { may: ['base', 'meta'], packages: ['protobufjs', 're2js'] },
  codec: { may: ['base', 'meta', 'schema', 'observe'], packages: ['js-yaml', 'protobufjs'] },
  patch: { may: ['base', 'meta', 'schema'], packages: [] },
  api: { may: ['base', 'meta', 'schema'], packages: ['re2js'] },
  storage: {
    may: ['base', 'meta', 'codec', 'observe'],
    packages: ['etcd3', 'protobufjs', 'sorted-btree'],
  },
  registry: { may: upToStorage, packages: [] },
  authn: { may: chainFace, packages: ['jsonwebtoken', 'js-yaml'] },
  authz: { may: chainFace, packages: [] },
  admission: { may: chainFace, packages: [] },
  audit: { may: chainFace, packages: ['js-yaml'] },
  flowcontrol: { may: chainFace, packages: [] },
  http: { may: upToChains, packages: ['express'] },
  extension: { may: [...upToChains, 'http'], packages: ['re2js'] },
  controllers: { may: [...upToApi, 'registry/types.ts'], packages: [] },
  server: {
    may: [...upToChains, 'http', 'extension', 'controllers'],
    packages: ['@peculiar/x509', 'reflect-metadata', 'js-yaml'],
  },
  cli: {
    may: [...upToChains, 'http', 'extension', 'controllers', 'server'],
    packages: ['commander', 'js-yaml'],
  },
  'main.ts': { may: [...upToChains, 'http', 'extension', 'controllers', 'server', 'cli'], packages: [] },
  'index.ts': { may: [...upToChains, 'http', 'extension', 'controllers', 'server', 'cli'], packages: [] },
};
