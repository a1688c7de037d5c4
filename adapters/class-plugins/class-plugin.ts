/**
 * What the author of a class-style plugin imports in place of tsyringe, whose polyfill is loaded here first. Re-exports
 * only.
 */
import './reflect-polyfill.ts';

export { injectable } from 'tsyringe';
export { type ClassPlugin, type ClassPluginContext, defineClassPlugin, port } from './define-class-plugin.ts';
