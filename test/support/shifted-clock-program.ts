/** See shifted-clock.ts, which gives the flag of Node that loads this. */
import { shiftOwnClock } from './shifted-clock.ts';

shiftOwnClock(new URL(import.meta.url).searchParams.get('file') ?? '');
