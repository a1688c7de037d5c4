import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { maskPath } from '../../kernel/internal-api.ts';
import { changeSent } from './change-sent.ts';

/** Masks possible keys in error messages of the SDK, because these repeat names that the caller chose. */
export const maskErrors = (server: McpServer): McpServer => {
  changeSent(server, withoutKeys);
  return server;
};

const withoutKeys = (message: JSONRPCMessage): JSONRPCMessage => {
  if (!('error' in message)) return message;
  const { error } = message;
  return { ...message, error: { ...error, message: maskWords(error.message), ...maskedData(error.data) } };
};

const maskedData = (data: unknown): { readonly data?: unknown } => {
  if (data === undefined) return {};
  const text = JSON.stringify(data, (_name, value) => (typeof value === 'string' ? maskWords(value) : value));
  return { data: JSON.parse(text) };
};

const maskWords = (text: string): string => text.split(' ').map(maskPath).join(' ');
