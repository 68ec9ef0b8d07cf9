/** Where a container sees the pod's volumes: mounts and raw block devices. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, invalid, notFound } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { noBacksteps, relativeDescendingPath } from '../../validation/paths.ts';
import type { Maybe } from '../../validation/rules.ts';
import { allOf, each, given, need } from '../../validation/rules.ts';
import type { Container, Volume, VolumeDevice, VolumeMount } from '../v1.types.ts';

/** The pod's volumes by name. */
export type VolumesByName = ReadonlyMap<string, Volume>;

export function volumesByName(volumes: readonly Volume[] | null | undefined): VolumesByName {
  const named = new Map<string, Volume>();
  for (const volume of volumes ?? []) named.set(volume.name ?? '', volume);
  return named;
}

/** Mounts and devices of one container; a path and a device serve one purpose. */
export function validateMountsAndDevices(
  container: Container,
  volumes: VolumesByName,
  path: FieldPath,
): FieldError[] {
  const mountPaths = new Set<string>();
  const devicePaths = new Set((container.volumeDevices ?? []).map(({ devicePath }) => devicePath));
  return allOf(
    each(container.volumeMounts, path.child('volumeMounts'), (mount, at) =>
      allOf(
        validateMount(mount, container, volumes, at),
        mountPathErrors(mount.mountPath, devicePaths, mountPaths, at),
      ),
    ),
    validateDevices(container, volumes, path.child('volumeDevices')),
  );
}

function mountPathErrors(
  value: Maybe<string>,
  devicePaths: ReadonlySet<Maybe<string>>,
  seen: Set<string>,
  path: FieldPath,
): FieldError[] {
  if (!value) return [];
  const at = path.child('mountPath');
  return allOf(
    uniqueIn(seen, value, at),
    devicePaths.has(value) ? [invalid(at, value, 'must not already exist as a path in volumeDevices')] : [],
  );
}

function uniqueIn(seen: Set<string>, value: string, path: FieldPath): FieldError[] {
  if (seen.has(value)) return [invalid(path, value, 'must be unique')];
  seen.add(value);
  return [];
}

function validateMount(
  mount: VolumeMount,
  container: Container,
  volumes: VolumesByName,
  path: FieldPath,
): FieldError[] {
  const isPrivileged = container.securityContext?.privileged === true;
  return allOf(
    need(mount.name, path.child('name'), (name, at) => (volumes.has(name) ? [] : [notFound(at, name)])),
    need(mount.mountPath, path.child('mountPath')),
    given(mount.subPath || undefined, path.child('subPath'), relativeDescendingPath),
    given(mount.subPathExpr || undefined, path.child('subPathExpr'), (value, at) =>
      allOf(
        mount.subPath ? [invalid(at, value, 'subPathExpr and subPath are mutually exclusive')] : [],
        relativeDescendingPath(value, at),
      ),
    ),
    mount.mountPropagation === 'Bidirectional' && !isPrivileged
      ? [
          forbidden(
            path.child('mountPropagation'),
            'Bidirectional mount propagation is available only to privileged containers',
          ),
        ]
      : [],
  );
}

function validateDevices(container: Container, volumes: VolumesByName, path: FieldPath): FieldError[] {
  if (!container.volumeDevices) return [];
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounted = new Set((container.volumeMounts ?? []).map((mount) => mount.name));
  return each(container.volumeDevices, path, (device: VolumeDevice, at) =>
    allOf(
      need(device.name, at.child('name'), (name, p) =>
        allOf(
          uniqueIn(names, name, p),
          mounted.has(name) ? [invalid(p, name, 'must not already exist in volumeMounts')] : [],
          deviceSource(name, volumes, p),
        ),
      ),
      need(device.devicePath, at.child('devicePath'), (value, p) =>
        allOf(uniqueIn(paths, value, p), noBacksteps(value, p)),
      ),
    ),
  );
}

function deviceSource(name: string, volumes: VolumesByName, path: FieldPath): FieldError[] {
  const volume = volumes.get(name);
  if (!volume) return [notFound(path, name)];
  return volume.persistentVolumeClaim != null || volume.ephemeral != null
    ? []
    : [
        invalid(
          path,
          name,
          'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ),
      ];
}
