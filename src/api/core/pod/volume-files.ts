/** Files that volumes make of keys, fields and resources. */
import type { FieldError } from '../../../meta/field-error.ts';
import { invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { fileMode, volumeFilePath } from '../../validation/paths.ts';
import type { Rule } from '../../validation/rules.ts';
import { allOf, given, need } from '../../validation/rules.ts';
import type { DownwardAPIVolumeFile, KeyToPath } from '../v1.types.ts';
import { validateVolumeFieldRef, validateVolumeResourceFieldRef } from './env.ts';

/** Which key becomes which file. */
export const validateKeyToPath: Rule<KeyToPath> = (item, path) =>
  allOf(
    need(item.key, path.child('key')),
    volumeFilePath(item.path ?? '', path.child('path')),
    given(item.mode, path.child('mode'), fileMode),
  );

/** A file that shows a field of the pod or a resource of a container. */
export const validateDownwardFile: Rule<DownwardAPIVolumeFile> = (file, path) =>
  allOf(
    volumeFilePath(file.path ?? '', path.child('path')),
    given(file.fieldRef, path.child('fieldRef'), validateVolumeFieldRef),
    given(file.resourceFieldRef, path.child('resourceFieldRef'), validateVolumeResourceFieldRef),
    downwardCount(file, path),
    given(file.mode, path.child('mode'), fileMode),
  );

function downwardCount(file: DownwardAPIVolumeFile, path: FieldPath): FieldError[] {
  if (file.fieldRef != null && file.resourceFieldRef != null) {
    return [invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')];
  }
  return file.fieldRef == null && file.resourceFieldRef == null
    ? [required(path, 'one of fieldRef and resourceFieldRef is required')]
    : [];
}
