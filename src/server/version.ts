/** What `/version` and the command `version` tell. */
import { currentRelease, releaseText } from '../observe/release.ts';

export interface ServiceVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly nodeVersion: string;
  readonly platform: string;
}

/** The interface release that clients compare themselves with, and what runs it. */
export function serviceVersion(): ServiceVersion {
  return {
    major: String(currentRelease.major),
    minor: String(currentRelease.minor),
    gitVersion: `v${releaseText(currentRelease)}.0`,
    nodeVersion: process.version,
    platform: `${process.platform}/${process.arch}`,
  };
}
