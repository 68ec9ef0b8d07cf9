/** What tables say of a template of pods. */
import type { PodTemplateSpec } from '../v1.types.ts';

export function containerNames(template: PodTemplateSpec | null | undefined): string {
  return (template?.spec?.containers ?? []).map(({ name }) => name ?? '').join(',');
}

export function containerImages(template: PodTemplateSpec | null | undefined): string {
  return (template?.spec?.containers ?? []).map(({ image }) => image ?? '').join(',');
}
