/** Levels and versions of the Pod Security Standards, and how the labels of a namespace choose them. */
import { invalid, type FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';

/** From the most open one to the strictest. */
export const levels = ['privileged', 'baseline', 'restricted'] as const;

export type Level = (typeof levels)[number];

/** A level as it was in a release: `latest`, or `v1.N`. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: string;
}

export const modes = ['enforce', 'audit', 'warn'] as const;

/** What happens to pods that violate a level: they are refused, noted in the audit log, or warned of. */
export type PodSecurityModes = Readonly<Record<(typeof modes)[number], LevelVersion>>;

export const latest = 'latest';

export function isVersion(text: string): boolean {
  return text === latest || /^v1\.(?:\d|[1-9]\d+)$/.test(text);
}

/** The minor release. @param newest the minor release of `latest`; later ones are not known and count as that */
export function minorOf({ version }: LevelVersion, newest: number): number {
  return version === latest ? newest : Math.min(Number(version.slice('v1.'.length)), newest);
}

export function shownLevel({ level, version }: LevelVersion): string {
  return `${level}:${version}`;
}

/** True where every pod that the other level allows is allowed, too. */
export function isRelaxed(next: LevelVersion, before: LevelVersion): boolean {
  return next.version === before.version && levels.indexOf(next.level) <= levels.indexOf(before.level);
}

export interface LabelledModes {
  readonly modes: PodSecurityModes;
  readonly errors: readonly FieldError[];
}

/**
 * What the labels of a namespace say, with defaults for what they leave out. A label that cannot be read refuses what the
 * strictest level refuses, and neither warns nor audits.
 */
export function readModes(
  labels: Readonly<Record<string, string>> | null | undefined,
  defaults: PodSecurityModes,
  { labelDomain }: NamingProfile,
): LabelledModes {
  const errors: FieldError[] = [];
  const path = FieldPath.of('metadata').child('labels');
  const read = (name: string, isValid: (text: string) => boolean, problem: string): string | undefined => {
    const key = `pod-security.${labelDomain}/${name}`;
    const text = labels?.[key];
    if (text === undefined || isValid(text)) return text;
    errors.push(invalid(path.key(key), text, problem));
    return '';
  };
  const modeOf = (mode: (typeof modes)[number]): LevelVersion => {
    const level = read(mode, isLevel, `must be one of ${levels.join(', ')}`);
    const version = read(`${mode}-version`, isVersion, 'must be "latest" or "v1.x"');
    const unreadable = mode === 'enforce' ? 'restricted' : 'privileged';
    return {
      level: level === undefined ? defaults[mode].level : isLevel(level) ? level : unreadable,
      version: version === undefined ? defaults[mode].version : version || latest,
    };
  };
  const read_ = { enforce: modeOf('enforce'), audit: modeOf('audit'), warn: modeOf('warn') };
  return { modes: read_, errors };
}

function isLevel(text: string): text is Level {
  return levels.some((level) => level === text);
}
