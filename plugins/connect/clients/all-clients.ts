import { lstat } from 'node:fs/promises';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import type { UserFolders } from '../user-folders.ts';
import { claudeCode } from './claude-code.ts';
import { claudeDesktop } from './claude-desktop.ts';
import type { Client } from './client.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';
import { vscode } from './vscode.ts';
import { zed } from './zed.ts';

export const CLIENTS: readonly Client[] = [claudeCode, cursor, vscode, codex, geminiCli, opencode, zed, claudeDesktop];

export const CLIENT_NAMES: readonly string[] = CLIENTS.map(({ name }) => name);

export const clientOf = (name: string): Client => {
  const client = CLIENTS.find((one) => one.name === name);
  if (client !== undefined) return client;
  throw new ServiceError('validation', 'there is no client of that name', {
    hint: `name one of: ${CLIENT_NAMES.join(', ')}`,
  });
};

export const isInstalled = async (client: Client, folders: UserFolders): Promise<boolean> => {
  for (const path of client.traces(folders)) {
    const isThere = await lstat(path).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
};
