import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import type { AskNode } from '../ask-node.ts';
import { problemText, refusalOf } from '../refused-question.ts';
import { type ResourceDefinition, templateOf } from '../resource-definition.ts';
import { MEMORY_RESOURCES } from './memory-resources.ts';

interface ResourceParts {
  readonly node: AskNode;
  report(error: unknown): void;
}

/** Registers the resources that the node can serve and the caller may read. */
export const registerResources = (server: McpServer, parts: ResourceParts): void => {
  if (!parts.node.allows('read')) return;
  for (const resource of MEMORY_RESOURCES) {
    if (resource.routes.every((route) => parts.node.serves(route))) register(server, resource, parts);
  }
};

const register = (server: McpServer, resource: ResourceDefinition, parts: ResourceParts): void => {
  const { name, variable, title, description } = resource;
  const template = new ResourceTemplate(templateOf(resource), {
    list: undefined,
    complete: { [variable]: async (begun) => [...(await completed(resource, begun, parts))] },
  });
  server.registerResource(name, template, { title, description, mimeType: JSON_TYPE }, async (uri, variables) => {
    const value = decoded(variables[variable], uri.href);
    try {
      await parts.node.ready();
      const text = JSON.stringify(await resource.read(value, parts.node));
      return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text }] };
    } catch (error) {
      throw refusedRead(error, uri.href, parts);
    }
  });
};

const JSON_TYPE = 'application/json';

/** Returns a completion; empty if the node refuses, because completions are optional. */
const completed = (
  resource: ResourceDefinition,
  begun: string,
  { node, report }: ResourceParts,
): Promise<readonly string[]> =>
  node
    .ready()
    .then(() => resource.complete(begun, node))
    .catch((error: unknown) => {
      refusalOf(error, { report });
      return [];
    });

const decoded = (value: string | string[] | undefined, uri: string): string => {
  try {
    return decodeURIComponent(String(value));
  } catch {
    throw new ResourceNotFoundError(uri);
  }
};

/** Returns a protocol error, because the protocol has no result for a failed read. */
const refusedRead = (error: unknown, uri: string, parts: ResourceParts): Error => {
  const { problem } = refusalOf(error, parts);
  if (problem.status === 404) return new ResourceNotFoundError(uri);
  const code = problem.status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, problemText(problem));
};
