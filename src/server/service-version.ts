/** The version of this build, for `/version` and the command `version`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentRelease, type Release } from '../observe/release.ts';
import { versionInfo, type VersionInfo } from '../http/plain/info-routes.ts';

/** The Kubernetes release with the package version as build metadata, and the emulated release. */
export function serviceVersion(emulated: Release = currentRelease): VersionInfo {
  return versionInfo(packageVersion(), emulated);
}

function packageVersion(): string {
  const path = join(import.meta.dirname, '..', '..', 'package.json');
  const description: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const isObject = typeof description === 'object' && description !== null && 'version' in description;
  return isObject ? String(description.version) : '0';
}
