/** Imported first: storages of the test file are fed by another one. */
import { useFeed } from './storage.ts';

useFeed();
