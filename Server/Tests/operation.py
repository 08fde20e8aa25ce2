"""The checks of operation.sh on the files in Server/Operation. Each error is printed on a line; one suffices for status 1.

    operation.py alerts|compose|expressions|names [FILE]
"""

import json
import pathlib
import re
import sys

import yaml

server = pathlib.Path(__file__).resolve().parent.parent
operation = server / "Operation"
complaints = []

# Only a node on PostgreSQL has these; operation.sh starts the service on SQLite.
POSTGRES_ONLY = {
    "earshot_database_up", "earshot_database_connections", "earshot_database_busy_connections",
    "earshot_database_waiting_calls", "earshot_owned_projects",
}


def demand(condition, complaint):
    if not condition:
        complaints.append(complaint)


def read(name):
    return yaml.safe_load((operation / name).read_text())


def rules():
    return [rule for group in read("alerts.yaml")["groups"] for rule in group["rules"]]


def panels():
    return json.loads((operation / "dashboard.json").read_text())["panels"]


def dashboard_expressions():
    """The panels' expressions, with values in place of Grafana's variables."""
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$__rate_interval", "1m").replace("$node", ".*")


def metrics_of(expression):
    """The names of metrics: all names except strings, labels, durations, functions and keywords of PromQL."""
    expression = re.sub(r"\"[^\"]*\"", "", expression)
    expression = re.sub(r"\{[^}]*\}|\[[^]]*\]|\boffset\s+\w+", "", expression)
    expression = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", "", expression)
    names = re.findall(r"(?<![\w.])[A-Za-z_:][\w:]*(?!\s*\(|\w)", expression)
    return set(names) - {"and", "or", "unless", "bool"}


def alerts(_):
    """Each alert has its texts and a test that fires it, and names only problems and panels that exist."""
    tests = (operation / "alerts.test.yaml").read_text()
    codes = (server / "Sources/EarshotServer/Problem.swift").read_text()
    titles = {panel["title"] for panel in panels()}
    for rule in rules():
        name, texts = rule["alert"], rule["annotations"]
        demand(f'alertname="{name}"' in tests, f"alerts.test.yaml does not fire {name}")
        demand(texts.get("summary") and texts.get("description"), f"{name} has no summary or no description")
        demand(rule["labels"]["severity"] in ("page", "ticket"), f"{name} has another severity than page and ticket")
        for code in re.findall(r'code="(\w+)"', rule["expr"]):
            demand(f'"{code}"' in codes, f"{name} waits for the problem {code}, which the service does not have")
        for title in re.findall(r'"([A-Z][a-z ]+)"(?! in docs)', texts["description"]):
            demand(title in titles, f'{name} points to the panel "{title}", which dashboard.json does not have')
        for other in re.findall(r"\bEarshot[A-Z]\w+", texts["description"]):
            demand(other in {rule["alert"] for rule in rules()}, f"{name} points to {other}, which is no alert")


def names(file):
    """Each metric that an alert or a panel uses is in the service's metrics."""
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", pathlib.Path(file).read_text(), re.MULTILINE))
    known = set(kinds) | POSTGRES_ONLY | {"up"}
    for name, kind in kinds.items():
        if kind == "histogram":
            known |= {f"{name}_bucket", f"{name}_sum", f"{name}_count"}
    used = [(f"the alert {rule['alert']}", rule["expr"]) for rule in rules()]
    used += [(f'the panel "{title}"', expression) for title, expression in dashboard_expressions()]
    users = {}
    for user, expression in used:
        for name in metrics_of(expression):
            users.setdefault(name, set()).add(user)
    for name in sorted(set(users) - known):
        complaints.append(f"/metrics has no {name}, which {', '.join(sorted(users[name]))} uses")


def expressions(_):
    """Prints the dashboard's expressions as rules, which promtool can check."""
    recorded = [{"record": f"panel:{number}", "expr": expression}
                for number, (_, expression) in enumerate(dashboard_expressions())]
    yaml.safe_dump({"groups": [{"name": "dashboard", "rules": recorded}]}, sys.stdout)


def scalars(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from scalars(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from scalars(inner, path)
    else:
        yield path, str(value)


def compose(help_file):
    """compose.yaml has no password, names files that exist, and agrees with the other files."""
    file = read("compose.yaml")
    services, networks = file["services"], file["networks"]
    for path, text in scalars(file):
        demand(not re.search(r"://[^/@\s]*:[^/@\s]*@", text), f"{path} has an address with a password")
        if re.search("(?i)password|secret|token", path.rsplit("/", 1)[-1]) and "/environment/" in path:
            demand(path.endswith("_FILE") and text.startswith("/run/secrets/"), f"{path} names no file in /run/secrets")
        demand(not re.search(r"(?i)(password|PGPASSWORD)=", text), f"{path} has a password")
    for name, secret in file["secrets"].items():
        # .gitignore names that folder.
        demand(secret == {"file": f"./secrets/{name}"}, f"the secret {name} is not in secrets/")
    for name, service in services.items():
        for key in ("restart", "read_only", "mem_limit", "healthcheck", "networks"):
            demand(service.get(key), f"{name} has no {key}")
        demand(service.get("cap_drop") == ["ALL"] and "cap_add" not in service, f"{name} has capabilities")
        for secret in service.get("secrets", []):
            demand(secret in file["secrets"], f"{name} uses the secret {secret}, which compose.yaml does not define")
        for network in service["networks"]:
            demand(network in networks, f"{name} uses the network {network}, which compose.yaml does not define")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            exists = (operation / source).is_file() if source.startswith(".") else source in file["volumes"]
            demand(exists, f"{name} mounts {source}, which does not exist")
        for port in service.get("ports", []):
            demand(name == "nginx" or port.startswith("127.0.0.1:"), f"{name} publishes {port}")
    for name in ("clients", "database", "monitoring"):
        demand(networks[name].get("internal"), f"the network {name} is not internal")

    nodes = {name: service for name, service in services.items() if service["image"] == "earshotd"}
    members = {name for name, service in services.items() if "monitoring" in service["networks"]}
    demand(members == {*nodes, "prometheus"}, f"the network monitoring has {sorted(members)}")
    known = set(re.findall(r"--[a-z-]+", pathlib.Path(help_file).read_text()))
    proxy = services["nginx"]["networks"]["clients"]["ipv4_address"]
    upstream = set()
    for name, node in nodes.items():
        words = node["command"].split()
        options = dict(zip(words[1::2], words[2::2]))
        for option in options:
            demand(option in known, f"{name} has {option}, which earshotd does not know")
        places = {network: place["ipv4_address"] for network, place in node["networks"].items()}
        expected = {"--host": places["clients"], "--node-host": places["database"],
                    "--operations-host": places["monitoring"], "--proxy": proxy}
        for option, address in expected.items():
            demand(options.get(option) == address, f"{name} has {option} {options.get(option)}, not {address}")
        upstream.add(f"{places['clients']}:8787")
    servers = set(re.findall(r"^\s*server ([\d.:]+)\b", (operation / "nginx.conf").read_text(), re.MULTILINE))
    demand(servers == upstream, f"nginx.conf passes requests to {sorted(servers)}, not to {sorted(upstream)}")
    targets = read("prometheus.yaml")["scrape_configs"][0]["static_configs"][0]["targets"]
    expected = [f"{name}:8788" for name in nodes]
    demand(targets == expected, f"prometheus.yaml asks {targets}, not {expected}")


{"alerts": alerts, "compose": compose, "expressions": expressions, "names": names}[sys.argv[1]]((sys.argv + [None])[2])
print("".join(f"{complaint}\n" for complaint in complaints), end="", file=sys.stderr)
sys.exit(bool(complaints))
