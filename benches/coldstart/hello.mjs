// The smallest Node handler on the Runtime API, with which infra/coldstart compares.
import http from "node:http";

const [hostname, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(":");
const agent = new http.Agent({ keepAlive: true });
const handler = async () => ({ statusCode: 200, body: "hello" });

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, agent, method, path: `/2018-06-01/runtime/invocation/${path}` }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk)).on("end", () => resolve([response.headers, text]));
    });
    request.on("error", reject).end(body);
  });
}

for (;;) {
  const [headers, event] = await call("GET", "next");
  const answer = await handler(JSON.parse(event));
  await call("POST", `${headers["lambda-runtime-aws-request-id"]}/response`, JSON.stringify(answer));
}
