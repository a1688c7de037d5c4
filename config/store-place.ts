import { dirname, resolve } from 'node:path';
import type { StoreConfig } from './node-config.ts';

/** Where the store is, for people. The user, the password and the parameters of an address are nobody's business. */
export const storeLocation = (store: StoreConfig): string => {
  if (store.use === 'sqlite') return store.settings.path;
  try {
    const { protocol, host, pathname } = new URL(store.settings.url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return 'PostgreSQL';
  }
};

/** The same in full: which file it is, whatever folder somebody stands in. */
export const storePath = (store: StoreConfig): string =>
  store.use === 'sqlite' ? resolve(store.settings.path) : storeLocation(store);

/** Folder for files that belong to the store: its private key, the first API key. */
export const dataFolder = (store: StoreConfig): string =>
  store.use === 'sqlite' ? dirname(resolve(store.settings.path)) : resolve(store.settings.dataFolder);
