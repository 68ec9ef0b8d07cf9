/** Names of OpenAPI definitions; clients look types up by them, so each package has the name that they know. */
import type { NamingProfile } from '../../meta/naming.ts';

const machinery = 'apimachinery.pkg';

/**
 * `core/v1.Pod` is `io.<domain>.api.core.v1.Pod`, `meta/v1.Time` stands among the machinery's types,
 * `example.com/v1.Widget` is `com.example.v1.Widget`.
 */
export function definitionName(schemaName: string, naming: NamingProfile): string {
  const domain = naming.apiDomain.split('.').reverse().join('.');
  const dot = schemaName.lastIndexOf('.');
  const [folder = '', version] = schemaName.slice(0, dot).split('/');
  const kind = schemaName.slice(dot + 1);
  // Folders of the catalogue are words; what looks like a domain is the group of a custom resource.
  if (folder.includes('.')) return [...folder.split('.').reverse(), version, kind].join('.');
  const parts = [domain, packagePath(folder, naming), version, kind];
  return parts.filter((part) => part !== undefined).join('.');
}

function packagePath(folder: string, naming: NamingProfile): string {
  switch (folder) {
    case 'meta':
      return `${machinery}.apis.meta`;
    case 'resource':
      return `${machinery}.api.resource`;
    case 'intstr':
      return `${machinery}.util.intstr`;
    case 'runtime':
      return `${machinery}.runtime`;
    case 'apiextensions':
      return 'apiextensions-apiserver.pkg.apis.apiextensions';
    case 'apiregistration':
      return `${naming.systemPrefix}-aggregator.pkg.apis.apiregistration`;
    case 'internal':
      return 'api.apiserverinternal';
    default:
      return `api.${folder}`;
  }
}
