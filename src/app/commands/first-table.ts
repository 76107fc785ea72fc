/** `postern policy new`: a first route table from an OpenAPI description, in a file or at an address (SPEC 20). */
import { readFile } from 'node:fs/promises';
import { firstTable } from '../../access/review/first-table.ts';
import { type DescribedApi, operationsOf } from '../../access/review/openapi-operations.ts';
import { readYaml } from '../../config/problems/read-yaml.ts';
import { messageOf } from '../../domain/message-of.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { createBoundedFetch } from '../../outbound/bounded-fetch.ts';

/** A description of an NVR has some hundred kilobytes. */
const BOUNDS = { seconds: 30, bytes: 16 * 1024 * 1024 };

/**
 * `source`: a file or an http(s) address of an OpenAPI description, in JSON or YAML; `below`: where clients see the described
 * paths. Gives the text of a route table that lets nobody but admins in. Errs with a sentence.
 */
export async function makeFirstTable(source: string, below: string | undefined): Promise<Result<string, string>> {
  const text = await textAt(source).then(ok, (fault: unknown) => err(`${source} cannot be read: ${messageOf(fault)}`));
  if (!text.ok) return text;
  const described = describedIn(text.value, below);
  return described.ok ? ok(firstTable(described.value)) : err(`${source} ${described.error}`);
}

async function textAt(source: string): Promise<string> {
  if (!/^https?:\/\//i.test(source)) return readFile(source, 'utf8');
  const response = await createBoundedFetch(BOUNDS)(source);
  if (response.status !== 200) throw new Error(`it was answered with status ${response.status}`);
  return response.text();
}

/** The operations in the text of an OpenAPI description. Errs with what is wrong with the text. */
export function describedIn(text: string, below?: string): Result<DescribedApi, string> {
  const tree = treeOf(text);
  return tree.ok ? operationsOf(tree.value, below) : tree;
}

function treeOf(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch {
    const yaml = readYaml(text);
    if (yaml.ok) return ok(yaml.value.tree);
    const [first] = yaml.error;
    return err(`is neither JSON nor YAML: line ${first?.line ?? 1}: ${first?.message ?? ''}`);
  }
}
