-- Shuts the sessions of a replica that stays down, so that its clients reconnect and reach another one.
--
-- `on-marked-down shutdown-sessions` does this at once. It so ends also connections that are still being made and that
-- `option redispatch` would save, and all connections of a replica that was only late. This gives the
-- former time to fail, and the latter one more check. It shuts nothing while no other replica is up: where every check
-- is late, load is the cause, and a storm of reconnects would make it worse.
local backend = 'replicas'
-- Seconds; longer than `timeout connect`, and than `downinter` with a quick check.
local grace = 0.25
local period_ms = 25

local down_since = {}

local function now()
    local time = core.now()
    return time.sec + time.usec / 1000000
end

local function is_in_state(server, state)
    return server:get_stats().status:sub(1, #state) == state
end

local function is_any_up(servers)
    for _, server in pairs(servers) do
        if is_in_state(server, 'UP') then return true end
    end
    return false
end

local function visit(name, server)
    if not is_in_state(server, 'DOWN') then
        down_since[name] = nil
        return
    end
    down_since[name] = down_since[name] or now()
    if now() - down_since[name] >= grace then server:shut_sess() end
end

core.register_task(function()
    while true do
        core.msleep(period_ms)
        local servers = core.backends[backend].servers
        if is_any_up(servers) then
            for name, server in pairs(servers) do visit(name, server) end
        end
    end
end)
