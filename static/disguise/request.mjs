/** The only file that touches the network: one address, and no more than the body it is given. */

const PATIENCE = 30_000; // milliseconds until a send counts as failed

/**
 * Send or delete a response: "done"; "offline", which is worth another try; or the reason the server gives.
 *
 * @type {(method: "POST" | "DELETE", address: string, body: string) => Promise<string>}
 */
export async function request(method, address, body) {
  try {
    const answer = await fetch(address, {
      method,
      headers: { "Content-Type": "application/json" },
      body,
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (answer.ok) return "done";
    if (answer.status >= 500 || answer.status === 408 || answer.status === 429) return "offline";
    return String((await answer.json()).reason);
  } catch {
    return "offline";
  }
}
