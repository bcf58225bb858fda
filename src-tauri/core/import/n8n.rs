//! Executions of n8n, as its API or its editor exports them with their data: a run of an HTTP Request node is a try or
//! a fetch, a run of a Webhook node an arrival. What a node was told by an expression is looked up in what the node
//! before it gave; where the export does not have it, nothing is made up: the run is named and left out. Pure.

use serde::Deserialize;
use serde_json::Value;

use super::{
    exchange::{End, Exchange, lost},
    lines::Headers,
};
use crate::clock::Moment;

const TIMELESS: &str = "a run has no `startTime` that can be held";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Execution {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    retry_of: Value,
    data: Value,
    #[serde(default)]
    workflow_data: Option<Workflow>,
}

#[derive(Deserialize)]
struct Workflow {
    #[serde(default)]
    nodes: Vec<Value>,
}

#[derive(Deserialize)]
struct Node {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    parameters: Value,
}

/// True if a JSON object is an execution.
pub(super) fn is_execution(element: &Value) -> bool {
    element.get("data").is_some_and(|data| data.is_string() || data.get("resultData").is_some())
        && (element.get("workflowData").is_some() || element.get("workflowId").is_some())
}

/// The requests of one execution, each or why it was left out.
///
/// # Errors
/// A short reason if it is no execution that can be read.
pub(super) fn read(element: Value) -> Result<Vec<Result<Exchange, String>>, String> {
    let execution: Execution = serde_json::from_value(element)
        .map_err(|_| "it is no execution of n8n: a field is missing or odd".to_owned())?;
    if execution.data.is_string() {
        return Err("its data is packed as n8n's database keeps it; export it through the API with its data".to_owned());
    }
    let nodes = execution.workflow_data.map(|workflow| workflow.nodes).unwrap_or_default();
    let runs = &execution.data["resultData"]["runData"];
    let id = word(&execution.retry_of).or_else(|| word(&execution.id)).unwrap_or_else(|| "0".to_owned());
    let mut found = Vec::new();
    for node in nodes {
        let Ok(node) = serde_json::from_value::<Node>(node) else {
            found.push(Err("a node of it has no name or no type".to_owned()));
            continue;
        };
        let Some(list) = runs[&node.name].as_array() else { continue };
        for (index, run) in list.iter().enumerate() {
            if node.kind.ends_with(".httpRequest") {
                let n = u32::try_from(index + 1).unwrap_or(u32::MAX);
                let job = (format!("n8n:{id}:{}", node.name), n);
                found.push(request(&node, run, runs, job));
            } else if node.kind.ends_with(".webhook") {
                match started(run) {
                    Some(at) => found.extend(items(run).filter_map(|item| webhook(at, item)).map(Ok)),
                    None => found.push(Err(TIMELESS.to_owned())),
                }
            }
        }
    }
    Ok(found)
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn started(run: &Value) -> Option<Moment> {
    run["startTime"].as_i64()?.checked_mul(1_000_000).map(Moment)
}

/// The items that a run gave, over all its outputs.
fn items(run: &Value) -> impl Iterator<Item = &Value> {
    let outputs = run["data"]["main"].as_array().into_iter().flatten();
    outputs.filter_map(Value::as_array).flatten().map(|item| &item["json"])
}

fn webhook(at: Moment, item: &Value) -> Option<Exchange> {
    let headers = item["headers"].as_object()?;
    let headers = headers.iter().filter_map(|(name, value)| Some((name.clone(), word(value)?))).collect();
    Some(Exchange {
        at,
        took_ms: 0,
        method: "POST".to_owned(),
        url: "http://n8n.invalid/webhook".to_owned(),
        headers: Headers(headers),
        body: Some(item["body"].to_string().into_bytes()),
        end: End::Unsaid,
        job: None,
    })
}

fn request(node: &Node, run: &Value, runs: &Value, job: (String, u32)) -> Result<Exchange, String> {
    let at = started(run).ok_or(TIMELESS)?;
    let before = run["source"][0]["previousNode"].as_str().and_then(|name| {
        let index = run["source"][0]["previousNodeRun"].as_u64().unwrap_or_default();
        items(&runs[name][usize::try_from(index).ok()?]).next()
    });
    let given = |value: &Value| resolve(value, before.unwrap_or(&Value::Null));
    let parameters = &node.parameters;
    let url = given(&parameters["url"])?.ok_or("a request has no address")?;
    let method =
        given(&parameters["method"])?.or(given(&parameters["requestMethod"])?).unwrap_or_else(|| "GET".to_owned());
    let mut headers = Vec::new();
    for pair in parameters["headerParameters"]["parameters"].as_array().into_iter().flatten() {
        let name = given(&pair["name"])?.unwrap_or_default();
        // A secret is not needed, and stands in n8n's credentials or in an expression.
        if !crate::pozy::secrecy::is_secret_name(&name) {
            headers.push((name, given(&pair["value"])?.unwrap_or_default()));
        }
    }
    let body = body(parameters, &given)?;
    let took_ms = run["executionTime"].as_i64().unwrap_or_default().max(0);
    Ok(Exchange { at, took_ms, method, url, headers: Headers(headers), body, end: end(run), job: Some(job) })
}

/// The body that a node was told to send; none if it stands in a form that cannot be looked up.
fn body(
    parameters: &Value,
    given: &dyn Fn(&Value) -> Result<Option<String>, String>,
) -> Result<Option<Vec<u8>>, String> {
    if parameters["sendBody"] == Value::Bool(false) {
        return Ok(None);
    }
    for name in ["jsonBody", "body", "bodyParametersJson"] {
        if let Some(text) = given(&parameters[name]).unwrap_or_default() {
            return Ok(Some(text.into_bytes()));
        }
    }
    let Some(fields) = parameters["bodyParameters"]["parameters"].as_array() else { return Ok(None) };
    let mut body = serde_json::Map::new();
    for field in fields {
        let (Some(name), Ok(Some(value))) = (field["name"].as_str(), given(&field["value"])) else { return Ok(None) };
        body.insert(name.to_owned(), Value::String(value));
    }
    Ok(Some(Value::Object(body).to_string().into_bytes()))
}

/// What came of a run: its item is the answer's body, or the whole answer if the node was told to keep it.
fn end(run: &Value) -> End {
    let item = items(run).next();
    if let Some(item) = item.filter(|_| run["error"].is_null()) {
        let whole = item["statusCode"].as_u64().and_then(|status| u16::try_from(status).ok());
        if let Some(status) = whole.filter(|_| item.get("headers").is_some()) {
            let headers = item["headers"].as_object().into_iter().flatten();
            let headers = headers.filter_map(|(name, value)| Some((name.clone(), word(value)?))).collect();
            let body = match &item["body"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            return End::Answered { status, headers: Headers(headers), body: Some(body.into_bytes()) };
        }
        // Without the whole answer n8n keeps no status; the body itself says 200 or 201 to those who read it.
        if let Some(failed) = item["error"].as_object() {
            return failure(&Value::Object(failed.clone()));
        }
        return End::Unsaid;
    }
    failure(&run["error"])
}

fn failure(error: &Value) -> End {
    let status = ["httpCode", "status", "statusCode"].iter().find_map(|name| match &error[*name] {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_u64().and_then(|status| u16::try_from(status).ok()),
        _ => None,
    });
    if let Some(status) = status.filter(|status| (100..1000).contains(status)) {
        let body = [&error["context"]["data"], &error["response"]["data"], &error["response"]["body"]];
        let body = body.iter().find(|body| !body.is_null()).map(|body| match body {
            Value::String(text) => text.clone().into_bytes(),
            other => other.to_string().into_bytes(),
        });
        return End::Answered { status, headers: Headers::default(), body };
    }
    let words = [&error["code"], &error["httpCode"], &error["message"], &error["description"]];
    match words.iter().filter_map(|word| word.as_str()).collect::<Vec<_>>().join(" ") {
        said if said.is_empty() => End::Unsaid,
        said => End::Lost(lost(&said)),
    }
}

/// A parameter as it was sent. An expression that only names fields of the item before is looked up there.
fn resolve(value: &Value, item: &Value) -> Result<Option<String>, String> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text,
        other => return Ok(Some(other.to_string())),
    };
    let Some(expression) = text.strip_prefix('=') else { return Ok(Some(text.clone())) };
    let mut out = String::new();
    let mut rest = expression;
    while let Some((before, after)) = rest.split_once("{{") {
        let (inner, further) = after.split_once("}}").ok_or(UNKNOWN)?;
        out.push_str(before);
        out.push_str(&field(inner.trim(), item).ok_or(UNKNOWN)?);
        rest = further;
    }
    out.push_str(rest);
    Ok(Some(out))
}

const UNKNOWN: &str = "a part of the request was worked out while it ran, and the export does not say what it came to";

/// `$json.a.b` or `$json["a"]` in an item.
fn field(path: &str, item: &Value) -> Option<String> {
    let path = path.strip_prefix("$json")?;
    let mut value = item;
    for name in path.split(['.', '[', ']']).map(|name| name.trim_matches(['"', '\''])).filter(|name| !name.is_empty()) {
        if !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
            return None;
        }
        value = value.get(name)?;
    }
    word(value).or_else(|| (value.is_object() || value.is_array()).then(|| value.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn execution(parameters: &Value, run: &Value) -> Value {
        json!({"id": 81, "retryOf": null, "workflowId": "w", "workflowData": {"nodes": [
                {"name": "Rows", "type": "n8n-nodes-base.set"},
                {"name": "Post", "type": "n8n-nodes-base.httpRequest", "parameters": parameters}]},
            "data": {"resultData": {"runData": {
                "Rows": [{"startTime": 1, "data": {"main": [[{"json": {"row": 4, "text": "Doors"}}]]}}],
                "Post": [run]}}}})
    }

    fn first(parameters: &Value, run: &Value) -> Result<Exchange, String> {
        let element = execution(parameters, run);
        assert!(is_execution(&element));
        read(element).unwrap().remove(0)
    }

    fn run(change: &Value) -> Value {
        let mut run = json!({"startTime": 1_772_445_600_000_i64, "executionTime": 900, "source": [{"previousNode": "Rows"}],
            "data": {"main": [[{"json": {"statusCode": 201, "headers": {"date": "x"}, "body": {"post": {"_id": "po_1"}}}}]]}});
        for (name, value) in change.as_object().unwrap() {
            run[name] = value.clone();
        }
        run
    }

    #[test]
    fn a_request_node_is_a_try_with_what_its_expressions_came_to() {
        let parameters = json!({"url": "=https://a.example/v1/posts", "method": "POST",
            "headerParameters": {"parameters": [{"name": "Idempotency-Key", "value": "=row-{{ $json.row }}"},
                                                {"name": "Authorization", "value": "={{ $env.KEY }}"}]},
            "sendBody": true, "bodyParameters": {"parameters": [{"name": "content", "value": "={{$json[\"text\"]}}"}]}});
        let told = first(&parameters, &run(&json!({}))).unwrap();
        assert_eq!((told.at.to_string().as_str(), told.took_ms), ("2026-03-02T10:00:00Z", 900));
        assert_eq!(told.headers.0, [("Idempotency-Key".to_owned(), "row-4".to_owned())]);
        assert_eq!(told.body.as_deref(), Some(br#"{"content":"Doors"}"#.as_slice()));
        assert_eq!(told.job, Some(("n8n:81:Post".to_owned(), 1)));
        assert!(matches!(told.end, End::Answered { status: 201, .. }));
    }

    #[test]
    fn what_cannot_be_looked_up_is_never_made_up() {
        let parameters = json!({"url": "https://a.example/v1/posts", "method": "POST",
            "headerParameters": {"parameters": [{"name": "Idempotency-Key", "value": "={{ $now }}"}]}});
        assert_eq!(first(&parameters, &run(&json!({}))).unwrap_err(), UNKNOWN);
        let body =
            json!({"url": "https://a.example/v1/posts", "method": "POST", "jsonBody": "={{ JSON.stringify($json) }}"});
        assert_eq!(first(&body, &run(&json!({}))).unwrap().body, None);
    }

    #[test]
    fn failures_keep_their_status_or_their_kind() {
        let parameters = json!({"url": "https://a.example/v1/posts", "method": "POST"});
        let error = |error: Value| first(&parameters, &run(&json!({"error": error, "data": null}))).unwrap().end;
        assert!(matches!(
            error(json!({"httpCode": "409", "context": {"data": {"code": "x"}}})),
            End::Answered { status: 409, body: Some(_), .. }
        ));
        assert!(matches!(
            error(json!({"code": "ECONNABORTED", "message": "timeout of 300000ms exceeded"})),
            End::Lost(crate::outbound::job::EndKind::Timeout)
        ));
    }

    #[test]
    fn a_webhook_node_is_an_arrival() {
        let element = json!({"id": "9", "workflowId": "w", "workflowData": {"nodes": [{"name": "In", "type": "n8n-nodes-base.webhook"}]},
            "data": {"resultData": {"runData": {"In": [{"startTime": 1_772_445_600_000_i64,
                "data": {"main": [[{"json": {"headers": {"x-pozy-event": "post.failed"}, "body": {"id": "ev"}}}]]}}]}}}});
        let told = read(element).unwrap().remove(0).unwrap();
        assert_eq!((told.method.as_str(), told.body.as_deref()), ("POST", Some(br#"{"id":"ev"}"#.as_slice())));
        assert!(read(json!({"id": 1, "data": "[{\"a\":\"1\"}]"})).is_err());
    }
}
